package run

import (
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func TestPreludeShowsWhatIsOpen(t *testing.T) {
	t.Parallel()
	const head = `
		{"type":"RUN_STARTED","threadId":"t","runId":"r"}
		{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`
	for _, test := range []struct{ name, script, want string }{
		{"nothing", ``, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`},
		{"what is closed is in the snapshot", `
			{"type":"TEXT_MESSAGE_START","messageId":"a"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"x"}
			{"type":"TEXT_MESSAGE_END","messageId":"a"}`,
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":"x"}]}`},
		{"open text", `
			{"type":"TEXT_MESSAGE_START","messageId":"a","name":"n"}
			{"type":"TEXT_MESSAGE_START","messageId":"b","subagentRunId":"s","metadata":{"x":1}}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"1"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"2"}`, `
			{"type":"MESSAGES_SNAPSHOT","messages":[]}
			{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant","name":"n"}
			{"type":"TEXT_MESSAGE_START","metadata":{"x":1},"subagentRunId":"s","messageId":"b","role":"assistant"}
			{"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"s","messageId":"b","delta":"12"}`},
		{"open text with something behind it keeps its place", `
			{"type":"TEXT_MESSAGE_START","messageId":"a"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"1"}
			{"type":"TEXT_MESSAGE_START","messageId":"b"}
			{"type":"TEXT_MESSAGE_END","messageId":"b"}`, `
			{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":""},{"id":"b","role":"assistant","content":""}]}
			{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"1"}`},
		{"open reasoning", `
			{"type":"REASONING_START","messageId":"a"}
			{"type":"REASONING_MESSAGE_START","messageId":"a","role":"reasoning"}
			{"type":"REASONING_MESSAGE_CONTENT","messageId":"a","delta":"hm"}`, `
			{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"reasoning","content":""}]}
			{"type":"REASONING_START","messageId":"a"}
			{"type":"REASONING_MESSAGE_START","messageId":"a","role":"reasoning"}
			{"type":"REASONING_MESSAGE_CONTENT","messageId":"a","delta":"hm"}`},
		{"calls without a result", `
			{"type":"TEXT_MESSAGE_START","messageId":"a"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"x"}
			{"type":"TEXT_MESSAGE_END","messageId":"a"}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"a"}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"}"}
			{"type":"TOOL_CALL_END","toolCallId":"c"}
			{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"f"}`, `
			{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":"x"}]}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"a"}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}
			{"type":"TOOL_CALL_END","toolCallId":"c"}
			{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"f"}`},
		{"a call before one that is answered keeps its place", `
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"a"}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"1"}
			{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"f","parentMessageId":"a"}
			{"type":"TOOL_CALL_END","toolCallId":"d"}
			{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"d","content":"y"}`, `
			{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}},{"id":"d","type":"function","function":{"name":"f","arguments":""}}]},{"id":"r","role":"tool","content":"y","toolCallId":"d"}]}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"a"}
			{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"1"}`},
		{"steps and subagents", `
			{"type":"STEP_STARTED","stepName":"a"}
			{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}
			{"type":"SUBAGENT_STARTED","subagentRunId":"gone","name":"n"}
			{"type":"STEP_STARTED","subagentRunId":"s","stepName":"b"}
			{"type":"SUBAGENT_STARTED","subagentRunId":"u","name":"m","parentSubagentRunId":"s"}
			{"type":"SUBAGENT_FINISHED","subagentRunId":"gone"}
			{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`, `
			{"type":"MESSAGES_SNAPSHOT","messages":[]}
			{"type":"STEP_STARTED","stepName":"a"}
			{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}
			{"type":"STEP_STARTED","subagentRunId":"s","stepName":"b"}
			{"type":"SUBAGENT_STARTED","subagentRunId":"u","name":"m","parentSubagentRunId":"s"}
			{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`},
		{"what a snapshot withdrew while it was open", `
			{"type":"TEXT_MESSAGE_START","messageId":"a"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"x"}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
			{"type":"MESSAGES_SNAPSHOT","messages":[]}`, `
			{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}
			{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}
			{"type":"MESSAGES_SNAPSHOT","messages":[]}`},
		{"chunks of a foreign stream", `
			{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"1"}
			{"type":"TEXT_MESSAGE_CHUNK","delta":"2"}
			{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"f","delta":"3","subagentRunId":"s"}
			{"type":"REASONING_MESSAGE_CHUNK","messageId":"m","delta":"4","subagentRunId":"u"}`, `
			{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":""},{"id":"c","role":"assistant","subagentRunId":"s"},{"id":"m","role":"reasoning","content":"","subagentRunId":"u"}]}
			{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}
			{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"12"}
			{"type":"REASONING_MESSAGE_START","subagentRunId":"u","messageId":"m","role":"reasoning"}
			{"type":"REASONING_MESSAGE_CONTENT","subagentRunId":"u","messageId":"m","delta":"4"}
			{"type":"TOOL_CALL_START","subagentRunId":"s","toolCallId":"c","toolCallName":"f","parentMessageId":"c"}
			{"type":"TOOL_CALL_ARGS","subagentRunId":"s","toolCallId":"c","delta":"3"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := newTestView()
			events := expanded(t, new(agui.Expander), decoded(t, head+test.script)...)
			apply(t, v, events...)
			prelude, err := v.Prelude(events[0].(*agui.RunStarted))
			if err != nil {
				t.Fatal(err)
			}
			want := strings.TrimSpace(strings.ReplaceAll(head+"\n"+strings.TrimSpace(test.want), "\t", "")) + "\n"
			if got := listing(t, prelude); got != want {
				t.Errorf("the prelude is\n%swant\n%s", got, want)
			}
			joiner := newTestView()
			apply(t, joiner, prelude...)
			if got, want := shown(t, joiner.Messages()), shown(t, v.Messages()); got != want {
				t.Errorf("it adds up to\n%swant\n%s", got, want)
			}
		})
	}
}

func TestPreludeRefusesAStreamThatCannotBeJoined(t *testing.T) {
	t.Parallel()
	old := agui.Message{ID: "m", Role: agui.RoleReasoning, Content: agui.TextContent("x"), SubagentRunID: "s"}
	v := newTestView(old)
	events := decoded(t, viewStart+`
		{"type":"REASONING_START","messageId":"m","subagentRunId":"u"}`)
	apply(t, v, events...)
	if _, err := v.Prelude(events[0].(*agui.RunStarted)); err == nil {
		t.Error("a span of one subagent in the message of another can be joined")
	}
}
