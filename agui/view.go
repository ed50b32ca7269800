package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A StateDocument is the shared state a [View] folds state events into. A patch applies as a whole or not at all.
type StateDocument interface {
	Apply(Patch) error
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
	changes  int              // how many of list are changed
	calls    map[string]*call // of the messages, and those this run started
	started  []*call          // by this run, in order
	answered map[string]bool  // calls that have a result
	state    StateDocument

	earlier *Earlier // until it is read
	joined  int      // messages that events added

	open Tracker // what is open, and whose it is
}

// NewView returns the view of a thread that holds messages, none of them new to the caller, and state; without a
// state (nil) the events about it are passed over. It takes over state and keeps no reference to the slice.
func NewView(messages []Message, state StateDocument) *View {
	v := &View{
		list:     make([]*entry, 0, len(messages)),
		byID:     make(map[string]*entry, len(messages)),
		calls:    make(map[string]*call),
		answered: make(map[string]bool),
		state:    state,
	}
	v.open.Known = v.ownerOf
	for _, m := range messages {
		v.keep(newEntry(m))
	}
	return v
}

// Apply folds the next event of a stream, which a [Verifier] has passed. It fails, and changes nothing, if e is a
// patch that does not apply; the client then shows what it showed before. Chunks it refuses: an [Expander] makes of them the
// events they stand for.
func (v *View) Apply(e Event) error {
	if err := v.fold(e); err != nil {
		return fmt.Errorf("agui: %s does not apply: %w", e.EventType(), err)
	}
	v.open.Note(e)
	return nil
}

// errChunk is returned for a chunk.
var errChunk = errors.New("it is a chunk")

// fold makes of messages and state what e makes of them.
func (v *View) fold(e Event) error {
	switch e := e.(type) {
	case *TextMessageContent:
		v.continueMessage(e.MessageID, e.Delta, e.Metadata)
	case *TextMessageStart:
		role := e.Role
		if role == "" {
			role = RoleAssistant
		}
		v.startMessage(Message{ID: e.MessageID, Role: role, Name: e.Name}, e.SubagentRunID, e.Metadata)
	case *TextMessageEnd:
		v.endMessage(e.MessageID, e.Metadata)
	case *ReasoningMessageContent:
		v.continueMessage(e.MessageID, e.Delta, e.Metadata)
	case *ReasoningMessageStart:
		v.startMessage(Message{ID: e.MessageID, Role: RoleReasoning}, e.SubagentRunID, e.Metadata)
	case *ReasoningMessageEnd:
		v.endMessage(e.MessageID, e.Metadata)
	case *ReasoningEncryptedValue:
		v.encrypt(e)
	case *ToolCallStart:
		v.startCall(e)
	case *ToolCallArgs:
		v.continueCall(e)
	case *ToolCallEnd:
		v.endCall(e)
	case *ToolCallResult:
		v.answer(e)
	case *MessagesSnapshot:
		v.restate(e.Messages)
	case *ActivitySnapshot:
		v.showActivity(e)
	case *ActivityDelta:
		return v.changeActivity(e)
	case *StateSnapshot:
		if v.state != nil {
			return v.state.Replace(e.Snapshot)
		}
	case *StateDelta:
		if v.state != nil {
			return v.state.Apply(e.Delta)
		}
	case *RunStarted:
		v.forgetRun()
		v.recall(e.Input)
	case *TextMessageChunk, *ReasoningMessageChunk, *ToolCallChunk:
		return errChunk
	}
	return nil
}

// Messages returns all messages in order, those still open with what they hold so far.
func (v *View) Messages() []Message {
	v.load()
	messages := make([]Message, len(v.list))
	for i, e := range v.list {
		messages[i] = e.message()
	}
	return messages
}

// Closed returns the messages that nothing more is to be expected of: none that is open, and without the calls of
// this run that are open or have no result. A message that is nothing but such calls is left out.
func (v *View) Closed() []Message {
	v.load()
	closed := make([]Message, 0, len(v.list))
	for _, e := range v.list {
		if v.isOpen(e) {
			continue
		}
		m := e.message()
		m.ToolCalls = nil
		for _, c := range e.calls {
			if !v.unsettled(c) {
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
func (v *View) Changed() []Message {
	messages := make([]Message, 0, v.changes)
	for i := len(v.list) - 1; i >= 0 && len(messages) < v.changes; i-- {
		if v.list[i].changed {
			messages = append(messages, v.list[i].message())
		}
	}
	slices.Reverse(messages)
	return messages
}

// Mark makes what the view holds now the base of the next [View.Changed].
func (v *View) Mark() {
	for i := len(v.list) - 1; i >= 0 && v.changes > 0; i-- {
		if v.list[i].changed {
			v.list[i].changed = false
			v.changes--
		}
	}
}
