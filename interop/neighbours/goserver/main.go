// Command goserver is an agent on the community Go SDK of AG-UI: it echoes, makes a call, changes the state it is sent,
// and asks.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/encoding/sse"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, http.HandlerFunc(serve)))
}

// serve runs the agent once.
func serve(w http.ResponseWriter, r *http.Request) {
	var in types.RunAgentInput
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.ThreadID == "" {
		http.Error(w, "no run", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	writer := sse.NewSSEWriter()
	send := func(list ...events.Event) {
		for _, e := range list {
			if err := writer.WriteEvent(r.Context(), w, e); err != nil {
				log.Print(err)
			}
		}
	}
	end := events.NewRunFinishedEvent(in.ThreadID, in.RunID)
	defer func() { send(end) }()
	send(events.NewRunStartedEvent(in.ThreadID, in.RunID))
	switch {
	case len(in.Resume) > 0:
		send(said(fmt.Sprintf("%v %s.", in.Resume[0].Payload, in.Resume[0].Status))...)
	case strings.Contains(lastText(in), "paint"):
		end = events.NewRunFinishedEventWithOptions(in.ThreadID, in.RunID,
			events.WithInterruptOutcome([]types.Interrupt{
				{ID: "colour-" + in.RunID, Reason: "input_required", Message: "Which colour?"},
			}))
	default:
		send(events.NewToolCallStartEvent("call-"+in.RunID, "weather"),
			events.NewToolCallArgsEvent("call-"+in.RunID, `{"city":"Paris"}`),
			events.NewToolCallEndEvent("call-"+in.RunID),
			events.NewToolCallResultEvent("result-"+in.RunID, "call-"+in.RunID, "blue"),
			events.NewStateSnapshotEvent(map[string]any{"city": "Paris"}),
			events.NewStateDeltaEvent([]events.JSONPatchOperation{{Op: "add", Path: "/sky", Value: "blue"}}))
		send(said("Blue skies.")...)
	}
}

// said is a message.
func said(text string) []events.Event {
	id := events.GenerateMessageID()
	return []events.Event{
		events.NewTextMessageStartEvent(id, events.WithRole("assistant")), events.NewTextMessageContentEvent(id, text),
		events.NewTextMessageEndEvent(id),
	}
}

// lastText is what the newest message says.
func lastText(in types.RunAgentInput) string {
	if len(in.Messages) == 0 {
		return ""
	}
	text, _ := in.Messages[len(in.Messages)-1].Content.(string)
	return text
}
