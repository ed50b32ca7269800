package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// rendered shows events to a person who knows the messages so far.
func rendered(known []agui.Message, d func(*screen) display, events ...agui.Event) string {
	var out strings.Builder
	r := newRenderer(d(&screen{w: &out}), "desk", known)
	for _, e := range events {
		r.event(e)
	}
	r.finish()
	return out.String()
}

func toPerson(s *screen) display  { return &dialogue{s} }
func toProgram(s *screen) display { return &output{s} }

func text(id, name, text string) []agui.Event {
	return []agui.Event{
		&agui.TextMessageStart{MessageID: id, Name: name}, &agui.TextMessageContent{MessageID: id, Delta: text}, &agui.TextMessageEnd{MessageID: id},
	}
}

func message(id, text string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleAssistant, Content: agui.TextContent(text)}
}

func TestRender(t *testing.T) {
	t.Parallel()
	plan := json.RawMessage(`{"steps": ["one"]}`)
	tests := []struct {
		name   string
		events []agui.Event
		person string
		output string
	}{
		{"who speaks", append(text("a", "legal", "No."), text("b", "", "Sorry.")...), "legal: No.\ndesk: Sorry.\n", "No.\nSorry.\n"},
		{"a subagent without a name in its messages", []agui.Event{
			&agui.SubagentStarted{SubagentRunID: "s", Name: "writer"},
			&agui.TextMessageStart{Tagged: agui.Tagged{SubagentRunID: "s"}, MessageID: "a"},
			&agui.TextMessageContent{MessageID: "a", Delta: "Well"},
			&agui.SubagentError{SubagentRunID: "s", Message: "no more\nwords"},
		}, "writer: Well\n  writer failed: no more words\n", "Well\n"},
		{"reasoning", []agui.Event{
			&agui.ReasoningMessageStart{MessageID: "r"}, &agui.ReasoningMessageContent{MessageID: "r", Delta: "Hm."}, &agui.ReasoningMessageEnd{MessageID: "r"},
		}, "desk thinks: Hm.\n", ""},
		{"a call and its result", []agui.Event{
			&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "find"}, &agui.ToolCallArgs{ToolCallID: "c", Delta: `{ "q": `}, &agui.ToolCallArgs{ToolCallID: "c", Delta: `1 }`},
			&agui.ToolCallEnd{ToolCallID: "c"}, &agui.ToolCallResult{ToolCallID: "c", MessageID: "m", Content: agui.TextContent("[ 2 ]")},
		}, "  desk calls find {\"q\":1}\n  find: [2]\n", ""},
		{"a call that failed", []agui.Event{
			&agui.ToolCallResult{Tagged: agui.Tagged{Base: agui.Base{Metadata: agui.Metadata{"failed": json.RawMessage("true")}}}, ToolCallID: "x", MessageID: "m", Content: agui.TextContent("down")},
		}, "  a tool failed: down\n", ""},
		{"an activity and what it has become", []agui.Event{
			&agui.ActivitySnapshot{MessageID: "p", ActivityType: "PLAN", Content: plan},
			&agui.ActivityDelta{MessageID: "p", ActivityType: "PLAN", Patch: agui.Patch{{Op: "add", Path: "/steps/-", Value: json.RawMessage(`"two"`)}}},
			&agui.ActivityDelta{MessageID: "p", ActivityType: "PLAN", Patch: agui.Patch{{Op: "remove", Path: "/nothing"}}},
		}, "  [PLAN] {\"steps\":[\"one\"]}\n  [PLAN] {\"steps\":[\"one\",\"two\"]}\n", ""},
		{"a message that was not streamed", []agui.Event{
			&agui.MessagesSnapshot{Messages: []agui.Message{message("old", "Before."), message("new", "After.")}},
		}, "desk: After.\n", "After.\n"},
		{"a message under another id", append(text("a", "", "Yes."), &agui.MessagesSnapshot{Messages: []agui.Message{message("b", "Yes.")}}), "desk: Yes.\n", "Yes.\n"},
		{"a message that is withdrawn", append(text("a", "", "Yes."), &agui.MessagesSnapshot{}), "desk: Yes.\n  what desk said above does not count: it is no part of the conversation\n", "Yes.\n"},
		{"what a gateway could not do", []agui.Event{&agui.Custom{Name: "gateway.failed", Value: json.RawMessage(`{"code":"internal","message":"Sorry."}`)}}, "  not done: Sorry.\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			known := []agui.Message{message("old", "Before.")}
			if got := rendered(known, toPerson, tt.events...); got != tt.person {
				t.Errorf("a person reads\n%q\nwant\n%q", got, tt.person)
			}
			if got := rendered(known, toProgram, tt.events...); got != tt.output {
				t.Errorf("a program reads\n%q\nwant\n%q", got, tt.output)
			}
		})
	}
}
