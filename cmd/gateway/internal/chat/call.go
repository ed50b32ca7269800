package chat

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// Bounds of displayed arguments and results, in characters; /state and the server have them in full.
const (
	mostArguments = 400
	mostResult    = 800
)

type call struct {
	name, by  string
	arguments strings.Builder
}

// callEvent shows a call when its arguments are complete, and its result.
func (r *renderer) callEvent(e agui.Event) {
	switch e := e.(type) {
	case *agui.ToolCallStart:
		r.calls[e.ToolCallID] = &call{name: line(e.ToolCallName, 80), by: r.speaker("", e.SubagentRunID)}
		r.blocks.open(callBlock+e.ToolCallID, noted, "")
	case *agui.ToolCallArgs:
		if c := r.calls[e.ToolCallID]; c != nil {
			c.arguments.WriteString(e.Delta)
		}
	case *agui.ToolCallEnd:
		if c := r.calls[e.ToolCallID]; c != nil {
			r.blocks.add(callBlock+e.ToolCallID,
				c.by+" calls "+c.name+" "+line(compact([]byte(c.arguments.String())), mostArguments))
			r.blocks.end(callBlock + e.ToolCallID)
		}
	case *agui.ToolCallResult:
		r.note(r.result(e))
	}
}

// callBlock begins the ids of blocks of calls, which are no messages.
const callBlock = "\x00call/"

func (r *renderer) result(e *agui.ToolCallResult) string {
	name := "a tool"
	if c := r.calls[e.ToolCallID]; c != nil {
		name = c.name
	}
	text := line(compact([]byte(e.Content.Text())), mostResult)
	if parts, ok := e.Content.Parts(); ok && text == "" {
		text = strconv.Itoa(len(parts)) + " parts without text"
	}
	var approval struct{ Decision, Reason string }
	_ = json.Unmarshal(e.Metadata["approval"], &approval) // without one there is no decision
	reason := ""
	if approval.Reason != "" && !strings.Contains(e.Content.Text(), approval.Reason) {
		reason = ", " + line(approval.Reason, 200)
	}
	switch {
	case string(e.Metadata["failed"]) == "true":
		return name + " failed: " + text
	case approval.Decision != "":
		return name + " (" + line(approval.Decision, 40) + reason + "): " + text
	}
	return name + ": " + text
}

// compact returns JSON without insignificant white space, and any other text unchanged.
func compact(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
