package langgraph_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/langgraph"
)

func inputOf(thread, run string) agui.RunAgentInput {
	return agui.RunAgentInput{ThreadID: thread, RunID: run, Messages: agui.List[agui.Message]{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("go")}}}
}

// canned answers with a stream, and with a state.
type canned struct{ stream, state string }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, media := c.state, "application/json"
	switch {
	case strings.HasSuffix(r.URL.Path, "/stream"):
		body, media = c.stream, "text/event-stream"
	case strings.HasSuffix(r.URL.Path, "/threads"):
		body = "{}"
	case strings.Contains(r.URL.Path, "/runs/"):
		body = `{"status":"success"}`
	case strings.HasSuffix(r.URL.Path, "/runs"):
		body = "[]"
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {media}}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// Whatever the server streams and has in its thread, the events are in order and end once, or an error with a fault is
// the last thing.
func FuzzRun(f *testing.F) {
	for _, events := range []string{
		"", `values {"a":1}`, "error \"x\"\nerror {\"error\":\"E\",\"message\":\"m\"}",
		`messages [{"id":"a","type":"AIMessageChunk","content":"hi"},{"langgraph_node":"n"}]` + "\n" + `updates {"n":null}` + "\n" +
			`messages [{"id":"a","type":"AIMessageChunk","content":[{"type":"thinking","thinking":"x"}]},{}]`,
		`messages|s:1|t:2 [{"id":"a","type":"ai","content":"x","tool_calls":[{"id":"c","name":"f","args":{}}]}]` + "\n" + `updates {"s":1}` + "\n" +
			`messages|s:1 [{"id":"r","type":"tool","tool_call_id":"c","content":[]}]` + "\n" + `messages|s:1|t:2 [{"id":"a","type":"ai","content":"xy"}]`,
		`messages [{"id":"a","type":"AIMessageChunk","content":"","tool_call_chunks":[{"index":0,"id":"c","name":"f","args":"{"},{"index":0,"args":"}"},{"args":"x"}]}]` + "\n" +
			`messages [{"id":"b","type":"AIMessageChunk","content":"","tool_call_chunks":[{"index":0,"id":"c","name":"f"}]}]`,
		`custom|a 1` + "\n" + `custom|a|b 2` + "\n" + `updates|a {"b":1}` + "\n" + `updates {"a":1}` + "\n" + `custom|a|b 3`,
		`messages [{"id":"a","type":"AIMessageChunk","content":"x"}]` + "\n" + `messages [{"id":"a","type":"tool","tool_call_id":"a","content":"x"}]`,
	} {
		f.Add(events, `{"values":{"messages":[{"id":"a","type":"ai","content":"hi there"},{"id":"z","type":"ai","content":"z","tool_calls":[{"id":"c","name":"f"}]}],"s":1}}`)
		f.Add(events, `{"values":[],"next":["n"],"tasks":[{"id":"t","interrupts":[{"value":{"question":"?"}},{"value":null},{"id":"i","value":"x"}]}]}`)
	}
	f.Fuzz(func(t *testing.T, events, state string) {
		var body strings.Builder
		for line := range strings.Lines(events) {
			name, data, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			body.WriteString("event: " + name + "\ndata: " + data + "\n\n")
		}
		answers := canned{"event: metadata\ndata: {\"run_id\":\"r\"}\n\n" + body.String(), state}
		c, err := langgraph.New(langgraph.Options{Assistant: "a", Options: client.Options{
			URL: "http://server.invalid", HTTP: &http.Client{Transport: answers}, MaxEvents: 500,
		}})
		if err != nil {
			t.Fatal(err)
		}
		var order agui.Verifier
		ends := 0
		for e, err := range c.Run(t.Context(), client.Request{Input: inputOf("t", "r")}) {
			if err != nil {
				if _, ok := errors.AsType[*client.Error](err); !ok || ends > 0 {
					t.Fatalf("%v after %d ends", err, ends)
				}
				return
			}
			if err := order.Next(e); err != nil {
				t.Fatal(err)
			}
			raw, err := agui.Encode(e)
			if err != nil || !json.Valid(raw) {
				t.Fatalf("%T cannot be written: %v", e, err)
			}
			switch e.(type) {
			case *agui.RunFinished, *agui.RunError:
				ends++
			}
		}
		if ends != 1 {
			t.Fatalf("%d ends", ends)
		}
	})
}
