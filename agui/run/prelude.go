package run

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// Prelude returns the stream for a reader that joins here without a cursor. It is valid by itself and with all later
// events of the run, and its result is the view, both for a new client and for one that saw the beginning. It is
//
//	RUN_STARTED, which is start
//	STATE_SNAPSHOT, if the view has a state
//	MESSAGES_SNAPSHOT of the closed messages
//	the open steps and subagents, in the order they were opened
//	the open spans and messages, each with its content so far in one piece
//	the calls of this run without a result, in the order they were started
//
// A message that is open but not last, an open reasoning message, and a call that is not the last of its message keep
// their position: they are also in the snapshot, empty, because a client only appends.
//
// It fails if the view's stream cannot be joined, which does not happen with that of a [Run].
func (v *View) Prelude(start *agui.RunStarted) ([]agui.Event, error) {
	v.load()
	p := prelude{View: v, restated: make(map[string]bool)}
	p.leaveOut()
	p.add(start)
	if v.state != nil {
		p.add(&agui.StateSnapshot{Snapshot: v.state.JSON()})
	}
	p.openWithdrawn()
	p.snapshot()
	p.openScopes()
	for _, o := range v.open.Open(agui.KindSpan) {
		p.add(&agui.ReasoningStart{Tagged: tagOf(o.Owner), MessageID: o.ID})
	}
	p.openMessages()
	p.openCalls()
	var verifier agui.Verifier
	for _, e := range p.events {
		if err := verifier.Next(e); err != nil {
			return nil, fmt.Errorf("run: the run cannot be joined: %w", err)
		}
	}
	return p.events, nil
}

// A prelude is the stream that [View.Prelude] returns, in the making.
type prelude struct {
	*View
	events   []agui.Event
	left     int             // where in the list the messages begin that are not in the snapshot
	restated map[string]bool // calls
}

func (p *prelude) add(e ...agui.Event) { p.events = append(p.events, e...) }

// leaveOut selects the messages that the snapshot can omit. A message that is created by its first call must be created
// before the messages after it, and calls are started in the order of the run.
func (p *prelude) leaveOut() {
	first := len(p.started) + 1
	for p.left = len(p.list); p.left > 0; p.left-- {
		e := p.list[p.left-1]
		if !p.leavesOut(e) || (!p.isOpen(e) && e.calls[0].order > first) {
			return
		}
		for _, c := range e.calls {
			first = min(first, c.order)
		}
	}
}

// leavesOut reports whether e, at the end of the list, can be omitted from the snapshot, because the events after it
// create it unchanged. A client that saw it before drops it, except for reasoning.
func (p *prelude) leavesOut(e *entry) bool {
	if p.byID[e.head.ID] != e || p.suffix(e) > 0 {
		return false
	}
	if _, open := p.open.Opened(agui.KindText, e.head.ID); open {
		_, both := p.open.Opened(agui.KindReasoning, e.head.ID)
		return !both && e.content().IsText() && e.head.Role != agui.RoleReasoning &&
			e.head.Role != agui.RoleActivity && e.head.Role != agui.RoleTool
	}
	if p.isOpen(e) {
		return false
	}
	h := &e.head
	return len(e.calls) > 0 && e.content().IsZero() && h.Name == "" && h.Metadata == nil && h.EncryptedValue == ""
}

// suffix returns the index of the calls of e that the snapshot omits: the last, unsettled ones.
func (p *prelude) suffix(e *entry) int {
	next := len(p.started) + 1
	for i := len(e.calls) - 1; i >= 0; i-- {
		c := e.calls[i]
		if c.order == 0 || c.order > next || !p.unsettled(c) {
			return i + 1
		}
		next = c.order
	}
	return 0
}

// openWithdrawn opens items that are open although a snapshot dropped their message: the next snapshot drops it again.
func (p *prelude) openWithdrawn() {
	for _, o := range p.open.Open(agui.KindText) {
		if start, ok := o.Event.(*agui.TextMessageStart); ok && p.byID[o.ID] == nil {
			p.add(&agui.TextMessageStart{Tagged: tagOf(o.Owner), MessageID: o.ID,
				Role: cmp.Or(start.Role, agui.RoleAssistant), Name: start.Name})
		}
	}
	for _, o := range p.open.Open(agui.KindReasoning) {
		if p.byID[o.ID] == nil {
			p.add(&agui.ReasoningMessageStart{Tagged: tagOf(o.Owner), MessageID: o.ID, Role: agui.RoleReasoning})
		}
	}
	for _, c := range p.started {
		if c.in == nil && p.unsettled(c) {
			owner, _ := p.open.Owner(agui.KindToolCall, c.id)
			p.add(&agui.ToolCallStart{Tagged: tagOf(owner), ToolCallID: c.id, ToolCallName: c.name,
				ParentMessageID: p.unusedID(c.id)})
			if !p.callOpen(c) {
				p.add(&agui.ToolCallEnd{Tagged: tagOf(owner), ToolCallID: c.id})
			}
		}
	}
}

// unusedID returns the id of a message for a withdrawn call, which otherwise creates one with the call's id: empty, or,
// if the snapshot that follows would keep that message, an id that it drops.
func (p *prelude) unusedID(call string) string {
	if p.byID[call] == nil {
		return ""
	}
	id := "withdrawn-" + call
	for p.byID[id] != nil {
		id += "~"
	}
	return id
}

func (p *prelude) snapshot() {
	s := &agui.MessagesSnapshot{Messages: make([]agui.Message, 0, p.left)}
	for _, e := range p.list[:p.left] {
		m := e.message()
		if p.isOpen(e) && m.Content.IsText() {
			m.Content = agui.TextContent("")
		}
		m.ToolCalls = m.ToolCalls[:p.suffix(e)]
		for i := range m.ToolCalls {
			if p.unsettled(e.calls[i]) {
				m.ToolCalls[i].Function.Arguments = ""
			}
		}
		s.Messages = append(s.Messages, m)
	}
	p.add(s)
}

// openScopes announces steps and subagents. One that ended comes with its end: others name it as their parent.
func (p *prelude) openScopes() {
	var ends []agui.Event
	for _, o := range p.open.Open(agui.KindStep, agui.KindSubagent) {
		p.add(o.Event)
		if o.Ended != nil {
			ends = append(ends, o.Ended)
		}
	}
	p.add(ends...)
}

// openMessages opens the messages that are open, and makes those the snapshot left out, in order.
func (p *prelude) openMessages() {
	for i, e := range p.list {
		switch {
		case p.isOpen(e):
			p.openMessage(e, i >= p.left)
		case i >= p.left:
			p.openCallsUntil(e.calls[0])
		}
	}
}

func (p *prelude) openMessage(e *entry, leftOut bool) {
	h, id := &e.head, e.head.ID
	delta := e.content().Text()
	if !e.content().IsText() {
		delta = "" // it is in the snapshot, and unchanged until the next delta
	}
	t := agui.Tagged{SubagentRunID: h.SubagentRunID}
	opener := t
	if leftOut {
		opener.Metadata = h.Metadata
	}
	if o, open := p.open.Opened(agui.KindText, id); open {
		role := h.Role
		if role == agui.RoleTool || role == agui.RoleActivity || role == agui.RoleReasoning {
			role = cmp.Or(o.Event.(*agui.TextMessageStart).Role, agui.RoleAssistant)
		}
		p.add(&agui.TextMessageStart{Tagged: opener, MessageID: id, Role: role, Name: h.Name})
		if delta != "" {
			p.add(&agui.TextMessageContent{Tagged: t, MessageID: id, Delta: delta})
		}
		delta = ""
	}
	if _, open := p.open.Opened(agui.KindReasoning, id); open {
		p.add(&agui.ReasoningMessageStart{Tagged: opener, MessageID: id, Role: agui.RoleReasoning})
		if delta != "" {
			p.add(&agui.ReasoningMessageContent{Tagged: t, MessageID: id, Delta: delta})
		}
	}
	if leftOut && h.EncryptedValue != "" {
		p.add(&agui.ReasoningEncryptedValue{Subtype: agui.EncryptedMessage, EntityID: id,
			EncryptedValue: h.EncryptedValue})
	}
}

func (p *prelude) openCalls() { p.openCallsUntil(nil) }

// openCallsUntil starts the calls that are not settled, in the order the run started them, up to last.
func (p *prelude) openCallsUntil(last *call) {
	for _, c := range p.started {
		if c.in == nil || p.restated[c.id] || !p.unsettled(c) {
			continue
		}
		p.openCall(c)
		if c == last {
			return
		}
	}
}

func (p *prelude) openCall(c *call) {
	p.restated[c.id] = true
	h := &c.in.head
	t := tagOf(h.SubagentRunID)
	opener := t
	opener.Metadata = c.metadata
	parent := h.ID
	if parent == c.id && c.in.calls[0] == c && slices.Contains(p.list[p.left:], c.in) && !p.isOpen(c.in) {
		parent = "" // it makes its own message, as it did
	}
	p.add(&agui.ToolCallStart{Tagged: opener, ToolCallID: c.id, ToolCallName: c.name, ParentMessageID: parent})
	if args := c.args.String(); args != "" {
		p.add(&agui.ToolCallArgs{Tagged: t, ToolCallID: c.id, Delta: args})
	}
	if c.encryptedValue != "" {
		p.add(&agui.ReasoningEncryptedValue{Subtype: agui.EncryptedToolCall, EntityID: c.id,
			EncryptedValue: c.encryptedValue})
	}
	if !p.callOpen(c) {
		p.add(&agui.ToolCallEnd{Tagged: t, ToolCallID: c.id})
	}
}
