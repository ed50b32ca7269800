package run

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// A call is a tool call of a message, or one of this run after a snapshot dropped its message.
type call struct {
	in             *entry // the message that makes it; nil if there is none
	id, name       string
	args           textBuffer
	encryptedValue string
	metadata       agui.Metadata

	order int // among the calls this run started, from 1; 0 for an earlier run's
}

func (c *call) toolCall() agui.ToolCall {
	return agui.ToolCall{
		ID: c.id, Type: "function", EncryptedValue: c.encryptedValue, Metadata: c.metadata,
		Function: agui.FunctionCall{Name: c.name, Arguments: c.args.String()},
	}
}

// startCall opens a call. The client attaches it to the assistant message it names, or makes one: under that id if
// it is free, else under the call's own. A call it has already is neither added again nor emptied.
func (v *View) startCall(e *agui.ToolCallStart) {
	c := v.callOf(e.ToolCallID)
	if c == nil {
		c = &call{id: e.ToolCallID}
		v.calls[c.id] = c
	}
	if c.order == 0 {
		v.started = append(v.started, c)
		c.order = len(v.started)
		if result := v.answered[c.id]; result != "" { // of an earlier run
			v.past[c.id] = result
			delete(v.answered, c.id)
		}
	}
	if c.in == nil {
		c.in = v.makeCaller(e)
		c.args, c.metadata, c.encryptedValue = textBuffer{}, nil, ""
		c.in.calls = append(c.in.calls, c)
	}
	c.name = e.ToolCallName
	c.metadata = merge(c.metadata, e.Metadata)
	v.touch(c.in)
}

// callerOf returns the message for a new call, or the id of the message to create for it.
func (v *View) callerOf(e *agui.ToolCallStart) (parent *entry, id string) {
	if e.ParentMessageID == "" {
		return nil, e.ToolCallID
	}
	parent = v.entryOf(e.ParentMessageID)
	switch {
	case parent == nil:
		return nil, e.ParentMessageID
	case parent.head.Role == agui.RoleAssistant:
		return parent, parent.head.ID
	default:
		return nil, e.ToolCallID
	}
}

// makeCaller returns the message that makes a new call, and makes it if it is not there.
func (v *View) makeCaller(e *agui.ToolCallStart) *entry {
	parent, id := v.callerOf(e)
	if parent != nil {
		return parent
	}
	m := agui.Message{ID: id, Role: agui.RoleAssistant}
	if v.entryOf(id) == nil {
		m.SubagentRunID = e.SubagentRunID
	}
	return v.push(m)
}

func (v *View) continueCall(e *agui.ToolCallArgs) {
	c := v.callOf(e.ToolCallID)
	if c == nil || c.in == nil {
		return
	}
	c.args.append(e.Delta)
	c.metadata = merge(c.metadata, e.Metadata)
	v.touch(c.in)
}

func (v *View) endCall(e *agui.ToolCallEnd) {
	if c := v.callOf(e.ToolCallID); c != nil && c.in != nil && e.Metadata != nil {
		c.metadata = merge(c.metadata, e.Metadata)
		v.touch(c.in)
	}
}

// answer inserts the result of a call after the call's message and earlier results: providers allow nothing in between.
func (v *View) answer(e *agui.ToolCallResult) {
	v.answered[e.ToolCallID] = e.MessageID
	result := &entry{head: agui.Message{
		ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: e.Content,
		SubagentRunID: e.SubagentRunID, Metadata: merge(agui.Metadata(nil), e.Metadata),
	}}
	at := len(v.list)
	if c := v.callOf(e.ToolCallID); c != nil && c.in != nil {
		at = v.indexOf(c.in) + 1
		for at < len(v.list) && v.list[at].head.Role == agui.RoleTool {
			at++
		}
	}
	v.list = slices.Insert(v.list, at, result)
	v.joined++
	v.name(result)
	v.touch(result)
}

// indexOf returns the index of e. It searches from the end, where a run's messages are.
func (v *View) indexOf(e *entry) int {
	for i := len(v.list) - 1; i >= 0; i-- {
		if v.list[i] == e {
			return i
		}
	}
	return len(v.list) - 1
}

// OpenCalls returns this run's unanswered calls in order, the pendingToolCallIds of a success.
func (v *View) OpenCalls() []agui.ToolCall {
	var open []agui.ToolCall
	for _, c := range v.started {
		if v.answered[c.id] == "" {
			open = append(open, c.toolCall())
		}
	}
	return open
}

// Arguments returns the current arguments of a call, and whether the call exists. It copies nothing.
func (v *View) Arguments(id string) (arguments string, ok bool) {
	c := v.callOf(id)
	if c == nil || c.in == nil {
		return "", false
	}
	return c.args.String(), true
}

// callOpen reports whether arguments can still be added to c.
func (v *View) callOpen(c *call) bool {
	_, open := v.open.Opened(agui.KindToolCall, c.id)
	return open
}

// unsettled reports whether c is still this run's business: open, or started by it and without a result.
func (v *View) unsettled(c *call) bool {
	return v.callOpen(c) || c.order > 0 && v.answered[c.id] == ""
}
