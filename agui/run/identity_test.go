package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// An id identifies one item. Events that would reuse it are refused, and the run can still be closed and ended.
func TestAnIDIsOneThing(t *testing.T) {
	t.Parallel()
	base := []agui.Message{
		{ID: "user", Role: agui.RoleUser, Content: agui.TextContent("q")},
		{ID: "system", Role: agui.RoleSystem, Content: agui.TextContent("s")},
		{ID: "developer", Role: agui.RoleDeveloper, Content: agui.TextContent("d")},
		{ID: "says", Role: agui.RoleAssistant, Name: "ann", ToolCalls: []agui.ToolCall{{ID: "call", Function: agui.FunctionCall{Name: "f"}}}},
		{ID: "result", Role: agui.RoleTool, ToolCallID: "call", Content: agui.TextContent("y")},
		{ID: "thought", Role: agui.RoleReasoning, Content: agui.TextContent("hm")},
		{ID: "act", Role: agui.RoleActivity, ActivityType: "P", Content: agui.ObjectContent(json.RawMessage(`{}`))},
	}
	for _, test := range []struct{ name, before, event string }{
		{"a thought under the id of a text", ``, `{"type":"REASONING_MESSAGE_START","messageId":"says","role":"reasoning"}`},
		{"a thought under the id of a subagent's text",
			`{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}
			{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
			`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`},
		{"a span under the id of a text", ``, `{"type":"REASONING_START","messageId":"says"}`},
		{"a text under the id of a thought", ``, `{"type":"TEXT_MESSAGE_START","messageId":"thought"}`},
		{"a text under the id of a span",
			`{"type":"REASONING_START","messageId":"m"}`, `{"type":"TEXT_MESSAGE_START","messageId":"m"}`},
		{"a text under the id of an activity", ``, `{"type":"TEXT_MESSAGE_START","messageId":"act"}`},
		{"a text under the id of a result", ``, `{"type":"TEXT_MESSAGE_START","messageId":"result"}`},
		{"an assistant's words in a user's message", ``, `{"type":"TEXT_MESSAGE_START","messageId":"user"}`},
		{"a user's words in a user's message", ``, `{"type":"TEXT_MESSAGE_START","messageId":"user","role":"user"}`},
		{"a system's words in a system's message", ``, `{"type":"TEXT_MESSAGE_START","messageId":"system","role":"system"}`},
		{"a developer's words in a developer's message", ``, `{"type":"TEXT_MESSAGE_START","messageId":"developer","role":"developer"}`},
		{"an encrypted value in a user's message", ``, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"user","encryptedValue":"x"}`},
		{"an activity under the id of a user's message", ``, `{"type":"ACTIVITY_SNAPSHOT","messageId":"user","activityType":"P","content":{}}`},
		{"a user's words in an assistant's message", ``, `{"type":"TEXT_MESSAGE_START","messageId":"says","role":"user"}`},
		{"somebody else's words in a message", ``, `{"type":"TEXT_MESSAGE_START","messageId":"says","name":"bob"}`},
		{"an activity under the id of a text", ``, `{"type":"ACTIVITY_SNAPSHOT","messageId":"says","activityType":"P","content":{}}`},
		{"an activity that would be kept under the id of a text", ``,
			`{"type":"ACTIVITY_SNAPSHOT","messageId":"says","activityType":"P","content":{},"replace":false}`},
		{"a call reopened under another name", ``, `{"type":"TOOL_CALL_START","toolCallId":"call","toolCallName":"g"}`},
		{"a call that would make a second message of an id", ``, `{"type":"TOOL_CALL_START","toolCallId":"user","toolCallName":"f"}`},
		{"a call in a user's message that would make a second message of an id", ``,
			`{"type":"TOOL_CALL_START","toolCallId":"thought","toolCallName":"f","parentMessageId":"user"}`},
		{"a result of an unknown call", ``, `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"none","content":"x"}`},
		{"a second result under one id", ``, `{"type":"TOOL_CALL_RESULT","messageId":"result","toolCallId":"call","content":"x"}`},
		{"a result under the id of an open text",
			`{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}`,
			`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"call","content":"x"}`},
		{"a result under the id of an open text that a snapshot dropped",
			`{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
			{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
			`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"x"}`},
		{"a snapshot that makes an open text a thought",
			`{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}`,
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"reasoning","content":"x"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, s := newTestRun(t, Options{View: newTestView(base...)})
			for _, e := range decoded(t, `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`+"\n"+test.before) {
				if err := r.Emit(e); err != nil {
					t.Fatal(err)
				}
			}
			before, messages := len(s.events), shown(t, r.view.Messages())
			if err := r.Emit(decoded(t, test.event)[0]); err == nil {
				t.Error("it was not refused")
			}
			if len(s.events) == before && shown(t, r.view.Messages()) != messages {
				t.Error("it was refused, and changed the view")
			}
			if err := r.Finish(&agui.RunFinished{}); err != nil {
				t.Errorf("Finish() = %v", err)
			}
		})
	}
}

// The events that an owner may send for its items.
func TestAnOwnerGoesOnWithItsIDs(t *testing.T) {
	t.Parallel()
	r, _ := newTestRun(t, Options{View: newTestView(
		agui.Message{ID: "says", Role: agui.RoleAssistant, Name: "ann", ToolCalls: []agui.ToolCall{{ID: "call", Function: agui.FunctionCall{Name: "f"}}}},
		agui.Message{ID: "thought", Role: agui.RoleReasoning, Content: agui.TextContent("hm")},
		agui.Message{ID: "act", Role: agui.RoleActivity, ActivityType: "P", Content: agui.ObjectContent(json.RawMessage(`{}`))},
	)})
	for _, e := range decoded(t, `
		{"type":"TEXT_MESSAGE_START","messageId":"says"}
		{"type":"TEXT_MESSAGE_END","messageId":"says"}
		{"type":"TEXT_MESSAGE_START","messageId":"says","name":"ann","role":"assistant"}
		{"type":"REASONING_START","messageId":"thought"}
		{"type":"REASONING_MESSAGE_START","messageId":"thought","role":"reasoning"}
		{"type":"ACTIVITY_SNAPSHOT","messageId":"act","activityType":"Q","content":{}}
		{"type":"TOOL_CALL_START","toolCallId":"call","toolCallName":"f"}
		{"type":"TOOL_CALL_END","toolCallId":"call"}
		{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"call","content":"x"}
		{"type":"TOOL_CALL_START","toolCallId":"own","toolCallName":"f"}
		{"type":"TOOL_CALL_START","toolCallId":"second","toolCallName":"f","parentMessageId":"own"}
		{"type":"TEXT_MESSAGE_START","messageId":"own"}`) {
		if err := r.Emit(e); err != nil {
			data, _ := agui.Encode(e)
			t.Errorf("%s: %v", data, err)
		}
	}
	if err := r.Finish(&agui.RunFinished{}); err != nil {
		t.Error(err)
	}
}

// A snapshot may give open items to another owner; they are closed anyway.
func TestWhatASnapshotGaveAwayIsClosed(t *testing.T) {
	t.Parallel()
	const open = `
		{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}
		{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}
		{"type":"REASONING_START","messageId":"r","subagentRunId":"s"}
		{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning","subagentRunId":"s"}
		{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}
		{"type":"MESSAGES_SNAPSHOT","messages":[
			{"id":"r","role":"reasoning","content":""},
			{"id":"m","role":"assistant","content":"","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}]}`
	for name, end := range map[string]func(*Run) error{
		"CloseOpen":          func(r *Run) error { return r.CloseOpen(ClosingOptions{}) },
		"the agent's own":    func(r *Run) error { return r.As("s").CloseOpen() },
		"Finish":             func(*Run) error { return nil },
		"who joins, Finish":  func(r *Run) error { _, err := r.view.Prelude(&agui.RunStarted{ThreadID: "t", RunID: "r"}); return err },
		"an untagged ending": func(r *Run) error { return r.Emit(&agui.TextMessageEnd{MessageID: "m"}) },
	} {
		r, _ := newTestRun(t, Options{})
		for _, e := range decoded(t, strings.ReplaceAll(open, "\n\t\t\t", "")) {
			if err := r.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := end(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.Finish(&agui.RunFinished{}); err != nil {
			t.Errorf("%s: Finish() = %v", name, err)
		}
	}
}
