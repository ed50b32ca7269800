package run_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
)

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
		fmt.Println(event.EventType())
	}
	// Output:
	// assistant Two flights match.
	// RUN_STARTED
	// MESSAGES_SNAPSHOT
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
}
