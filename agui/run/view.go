package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// A StateDocument is the state that a [View] applies state events to. A patch applies as a whole or not at all.
type StateDocument interface {
	Apply(context.Context, agui.Patch) error
	Replace(json.RawMessage) error
	JSON() json.RawMessage
}

// A View is the result of a stream of events in a client: its messages, its state and its open items. It applies events
// like the reference client 1.0.0, so its contents match the display.
//
// A View is not safe for concurrent use. It retains parts of its events, which must not change afterwards; the messages
// that it returns belong to the caller, except for the JSON in them.
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

	open agui.Tracker // open items, with their owners

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

// Apply applies the next event of a stream, which a [agui.Verifier] has accepted. Like a client, it changes nothing if
// e is a patch that does not apply, and fails. It refuses chunks: expand them with an [agui.Expander].
func (v *View) Apply(e agui.Event) error {
	if err := v.fold(e); err != nil {
		return fmt.Errorf("run: %s does not apply: %w", agui.TypeOf(e), err)
	}
	v.open.Note(e)
	return nil
}

var errChunk = errors.New("it is a chunk")

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

// Closed returns the complete messages, without the run's calls that are open or have no result.
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

// Changed returns the messages that were added or changed since the last [View.Mark], in order of appearance, for a
// commit. Its cost depends on the messages from the first of them on, and not on the size of the thread.
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

// Tail returns the number of leading messages that are unchanged since the last [View.Mark], and the messages after
// them. It costs as much as [View.Changed], unless a snapshot has replaced the messages.
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
