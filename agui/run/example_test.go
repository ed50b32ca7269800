package run_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
)

// A run writes what its agent and the subagents do, each event whole and in its place.
func ExampleRun() {
	r := run.New(run.Options{
		ThreadID: "thread", RunID: "run",
		NewID: func() string { return "m1" }, // without it ids are random
		Sink:  func(_ agui.Event, data []byte) error { fmt.Println(string(data)); return nil },
	})
	err := r.Start(&agui.RunStarted{})

	flights := r.Subagent(agui.SubagentStarted{SubagentRunID: "s", Name: "flights"})
	text := flights.Text(run.TextOptions{Name: "flights"})
	_, werr := fmt.Fprintf(text, "I found %d flights.", 2)
	err = errors.Join(err, werr, text.Close(), flights.Finish(nil), r.Finish(&agui.RunFinished{}))

	fmt.Println(err)
	// Output:
	// {"type":"RUN_STARTED","threadId":"thread","runId":"run","protocolVersion":"1.0"}
	// {"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"flights"}
	// {"type":"TEXT_MESSAGE_START","subagentRunId":"s","messageId":"m1","role":"assistant","name":"flights"}
	// {"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"s","messageId":"m1","delta":"I found 2 flights."}
	// {"type":"TEXT_MESSAGE_END","subagentRunId":"s","messageId":"m1"}
	// {"type":"SUBAGENT_FINISHED","subagentRunId":"s"}
	// {"type":"RUN_FINISHED","threadId":"thread","runId":"run"}
	// <nil>
}

// The arguments of a call are written as they come; its result ends them.
func ExampleWriter_ToolCall() {
	r := run.New(run.Options{
		ThreadID: "thread", RunID: "run",
		NewID: func() string { return "m1" },
		Sink:  func(_ agui.Event, data []byte) error { fmt.Println(string(data)); return nil },
	})
	err := r.Start(&agui.RunStarted{})
	call := r.ToolCall(run.ToolCallOptions{ID: "c", Name: "search"})
	_, werr := io.WriteString(call, `{"to":"SFO"}`)
	err = errors.Join(err, werr, call.Result(agui.TextContent("none")), r.Finish(&agui.RunFinished{}))
	fmt.Println(err)
	// Output:
	// {"type":"RUN_STARTED","threadId":"thread","runId":"run","protocolVersion":"1.0"}
	// {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search"}
	// {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"to\":\"SFO\"}"}
	// {"type":"TOOL_CALL_END","toolCallId":"c"}
	// {"type":"TOOL_CALL_RESULT","messageId":"m1","toolCallId":"c","content":"none","role":"tool"}
	// {"type":"RUN_FINISHED","threadId":"thread","runId":"run"}
	// <nil>
}

// A view is folded from a stream; its prelude brings a reader who joins in the middle to the same.
func ExampleView() {
	start := &agui.RunStarted{ThreadID: "thread", RunID: "run"}
	view := run.NewView(nil, nil)
	for _, event := range []agui.Event{
		start,
		&agui.TextMessageStart{MessageID: "m1", Role: agui.RoleAssistant},
		&agui.TextMessageContent{MessageID: "m1", Delta: "Two flights "},
		&agui.TextMessageContent{MessageID: "m1", Delta: "match."},
	} {
		if err := view.Apply(event); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, message := range view.Messages() {
		fmt.Println(message.Role, message.Content.Text())
	}
	prelude, err := view.Prelude(start)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, event := range prelude {
		fmt.Println(agui.TypeOf(event))
	}
	// Output:
	// assistant Two flights match.
	// RUN_STARTED
	// MESSAGES_SNAPSHOT
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
}
