package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/agui/run"
)

// canned answers every request with one body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(string(c))),
	}, nil
}

// Whatever a server sends, the events that come out of it are a stream that the Verifier takes and a View can show, and
// an error is a ClientError.
func FuzzClient(f *testing.F) {
	const begin, end = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n", `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n\n"
	for _, body := range []string{
		"", begin, begin + end, begin + begin, "data: [DONE]\n\n", "data: {}\r\n\r\n",
		begin + `data: {"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"x"}` + "\n\n" + end,
		begin + `data: {"type":"REASONING_END","messageId":"x"}` + "\n\n" + end,
		begin + `data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":null}` + "\n\n" + end,
		begin + `data: {"type":"TOOL_CALL_CHUNK","toolCallId":"m","toolCallName":"f","delta":"{"}` + "\n\n" + end,
		begin + `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":"interrupt","interrupt":[{"value":1}]}`,
		begin + `data: {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":null}]}` + "\n\n" + end,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c, err := client.New(client.Options{URL: "http://upstream.invalid/", HTTP: &http.Client{Transport: canned(body)}, MaxEvents: 1000})
		if err != nil {
			t.Fatal(err)
		}
		var order agui.Verifier
		view := run.NewView(nil, nil)
		for e, err := range c.Run(context.Background(), client.Request{Input: agui.RunAgentInput{ThreadID: "t", RunID: "r"}}) {
			if err != nil {
				if _, ok := errors.AsType[*client.Error](err); !ok {
					t.Fatalf("error %v", err)
				}
				return
			}
			raw, err := agui.Encode(e)
			if err != nil {
				t.Fatalf("%T cannot be sent: %v", e, err)
			}
			again, err := agui.Decode(raw, nil)
			if err != nil {
				t.Fatalf("%s is not of today: %v", raw, err)
			}
			if err := order.Next(again); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if _, patch := again.(*agui.ActivityDelta); !patch {
				if err := view.Apply(again); err != nil {
					t.Fatalf("%s: %v", raw, err)
				}
			}
		}
	})
}
