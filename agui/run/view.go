package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// A StateDocument is the shared state a [View] folds state events into. A patch applies as a whole or not at all; a context
// that is done ends the work.
type StateDocument interface {
	Apply(context.Context, agui.Patch) error
	Replace(json.RawMessage) error
	JSON() json.RawMessage
}

// A View is what a stream of events adds up to in a client: its messages, its state and what is open. It folds events
// as the reference client 1.0.0 does, so that what it holds is what people see.
//
// A View is not safe for concurrent use. It keeps parts of the events it was given, which must not change
// afterwards; the messages it returns are the caller's, but for the JSON in them.
type View struct {
	list     []*entry
	byID     map[string]*entry
	changes  int               // how many of list are changed
	restated bool              // a snapshot has replaced the list since the last Mark
	calls    map[string]*call  // of the messages, and those this run started
	started  []*call           // by this run, in order
	answered map[string]string // the result of each call that has one: the id of its message
	past     map[string]string // the same of calls that this run has started again: those of earlier runs
	state    StateDocument

	earlier *Earlier // until it is read
	joined  int      // messages that events added

	open agui.Tracker // what is open, and whose it is

	patching context.Context // ends the work on a patch; that of the run that writes the events
}

// NewView returns the view of a thread that holds messages, none of them new to the caller, and state; without a
// state (nil) the events about it are passed over. It takes over state and keeps no reference to the slice.
func NewView(messages []agui.Message, state StateDocument) *View {
	v := &View{
		list:     make([]*entry, 0, len(messages)),
		byID:     make(map[string]*entry, len(messages)),
		calls:    make(map[string]*call),
		answered: make(map[string]string),
		past:     make(map[string]string),
		state:    state,
		patching: context.Background(),
	}
	v.open.Known = v.ownerOf
	for _, m := range messages {
		v.keep(newEntry(m))
	}
	return v
}

// Apply folds the next event of a stream, which a [agui.Verifier] has passed. It fails, and changes nothing, if e is a
// patch that does not apply; the client then shows what it showed before. Chunks it refuses: an [agui.Expander] makes of them the
// events they stand for.
func (v *View) Apply(e agui.Event) error {
	if err := v.fold(e); err != nil {
		return fmt.Errorf("run: %s does not apply: %w", e.EventType(), err)
	}
	v.open.Note(e)
	return nil
}

// errChunk is returned for a chunk.
var errChunk = errors.New("it is a chunk")

// fold makes of messages and state what e makes of them.
func (v *View) fold(e agui.Event) error {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		v.continueMessage(e.MessageID, e.Delta, e.Metadata)
	case *agui.TextMessageStart:
		role := e.Role
		if role == "" {
			role = agui.RoleAssistant
		}
		v.startMessage(agui.Message{ID: e.MessageID, Role: role, Name: e.Name}, e.SubagentRunID, e.Metadata)
	case *agui.TextMessageEnd:
		v.endMessage(e.MessageID, e.Metadata)
	case *agui.ReasoningMessageContent:
		v.continueMessage(e.MessageID, e.Delta, e.Metadata)
	case *agui.ReasoningMessageStart:
		v.startMessage(agui.Message{ID: e.MessageID, Role: agui.RoleReasoning}, e.SubagentRunID, e.Metadata)
	case *agui.ReasoningMessageEnd:
		v.endMessage(e.MessageID, e.Metadata)
	case *agui.ReasoningEncryptedValue:
		v.encrypt(e)
	case *agui.ToolCallStart:
		v.startCall(e)
	case *agui.ToolCallArgs:
		v.continueCall(e)
	case *agui.ToolCallEnd:
		v.endCall(e)
	case *agui.ToolCallResult:
		v.answer(e)
	case *agui.MessagesSnapshot:
		v.restate(e.Messages)
	case *agui.ActivitySnapshot:
		v.showActivity(e)
	case *agui.ActivityDelta:
		return v.changeActivity(e)
	case *agui.StateSnapshot:
		if v.state != nil {
			return v.state.Replace(e.Snapshot)
		}
	case *agui.StateDelta:
		if v.state != nil {
			return v.state.Apply(v.patching, e.Delta)
		}
	case *agui.RunStarted:
		v.forgetRun()
		v.recall(e.Input)
	case *agui.TextMessageChunk, *agui.ReasoningMessageChunk, *agui.ToolCallChunk:
		return errChunk
	}
	return nil
}

// Messages returns all messages in order, those still open with what they hold so far.
func (v *View) Messages() []agui.Message {
	v.load()
	messages := make([]agui.Message, len(v.list))
	for i, e := range v.list {
		messages[i] = e.message()
	}
	return messages
}

// Closed returns the messages that nothing more is to be expected of: none that is open, and without the calls of
// this run that are open or have no result. A message that is nothing but such calls is left out.
func (v *View) Closed() []agui.Message {
	v.load()
	closed := make([]agui.Message, 0, len(v.list))
	for _, e := range v.list {
		if v.isOpen(e) {
			continue
		}
		m := e.message()
		m.ToolCalls = nil
		for _, c := range e.calls {
			if !v.unsettled(c) || v.past[c.id] != "" && !v.callOpen(c) {
				m.ToolCalls = append(m.ToolCalls, c.toolCall())
			}
		}
		if len(e.calls) > 0 && len(m.ToolCalls) == 0 && m.Content.IsZero() {
			continue
		}
		closed = append(closed, m)
	}
	return closed
}

// Changed returns the messages that were added or changed since the last [View.Mark], in order of appearance: what
// a commit has to store. It costs what lies behind the first of them, not what the thread holds.
func (v *View) Changed() []agui.Message {
	messages := make([]agui.Message, 0, v.changes)
	for i := len(v.list) - 1; i >= 0 && len(messages) < v.changes; i-- {
		if v.list[i].changed {
			messages = append(messages, v.list[i].message())
		}
	}
	slices.Reverse(messages)
	return messages
}

// Tail returns how many messages at the beginning are as they were at the last [View.Mark], and the messages behind those. It costs
// what [View.Changed] costs, unless a snapshot has replaced the messages.
func (v *View) Tail() (unchanged int, rest []agui.Message) {
	if v.restated {
		return 0, v.Messages()
	}
	first := len(v.list)
	for i, left := len(v.list)-1, v.changes; i >= 0 && left > 0; i-- {
		if v.list[i].changed {
			first = i
			left--
		}
	}
	for _, e := range v.list[first:] {
		rest = append(rest, e.message())
	}
	return first, rest
}

// Mark makes what the view holds now the base of the next [View.Changed].
func (v *View) Mark() {
	v.restated = false
	for i := len(v.list) - 1; i >= 0 && v.changes > 0; i-- {
		if v.list[i].changed {
			v.list[i].changed = false
			v.changes--
		}
	}
}
