package agui_test

import (
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
)

// A server sends the events of a run as server-sent events, and a client takes the stream apart again.
func ExampleStream() {
	response := httptest.NewRecorder()
	stream, err := agui.NewStream(response, agui.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, event := range []agui.Event{
		&agui.RunStarted{ThreadID: "thread", RunID: "run"},
		&agui.RunFinished{ThreadID: "thread", RunID: "run"},
	} {
		data, err := agui.Encode(event)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := stream.Send(agui.Record{ID: fmt.Sprint(i), Data: data}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for record, err := range agui.ReadStream(response.Body, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		event, err := agui.Decode(record.Data, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(record.ID, agui.TypeOf(event))
	}
	// Output:
	// 0 RUN_STARTED
	// 1 RUN_FINISHED
}

// A Verifier finds the first event that the protocol does not allow where it stands.
func ExampleVerifier() {
	var order agui.Verifier
	for _, event := range []agui.Event{
		&agui.RunStarted{ThreadID: "thread", RunID: "run"},
		&agui.TextMessageStart{MessageID: "m1", Role: agui.RoleAssistant},
		&agui.TextMessageContent{MessageID: "m2", Delta: "Hello"},
	} {
		err := order.Next(event)
		if broken, ok := errors.AsType[*agui.OrderError](err); ok {
			fmt.Println(agui.TypeOf(event), broken)
		}
	}
	// Output: TEXT_MESSAGE_CONTENT agui: TEXT_MESSAGE_CONTENT is out of order: not_open: text message "m2"
}
