package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// An upstream is a server that answers runs with a fixed stream and remembers what it was asked.
type upstream struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string // method, path and query
	bodies []string
	header []http.Header
}

func newUpstream(t *testing.T, answer func(u *upstream, w http.ResponseWriter, r *http.Request)) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		u.mu.Lock()
		u.asked = append(u.asked, r.Method+" "+r.URL.RequestURI())
		u.bodies = append(u.bodies, string(body))
		u.header = append(u.header, r.Header.Clone())
		u.mu.Unlock()
		answer(u, w, r)
	}))
	t.Cleanup(func() {
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

func (u *upstream) requests() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.asked...)
}

func (u *upstream) body(i int) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bodies[i]
}

func (u *upstream) lastBody() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bodies[len(u.bodies)-1]
}

// stream writes the events of a text, one JSON object a line, as server-sent events.
func stream(w http.ResponseWriter, lines string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
		}
	}
	_ = http.NewResponseController(w).Flush()
}

func streaming(lines string) func(*upstream, http.ResponseWriter, *http.Request) {
	return func(_ *upstream, w http.ResponseWriter, _ *http.Request) { stream(w, lines) }
}

func newClient(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// collect runs a request to its end: the types of the events, the warnings, and the error.
func collect(ctx context.Context, c *client.Client, r client.Request) (events []agui.Event, notes []string, err error) {
	r.Input.ThreadID, r.Input.RunID = "t", "r"
	r.Note = func(w agui.Warning) { notes = append(notes, w.String()) }
	for e, failure := range c.Run(ctx, r) {
		if failure != nil {
			return events, notes, failure
		}
		events = append(events, e)
	}
	return events, notes, nil
}

func shape(t *testing.T, events []agui.Event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		raw, err := agui.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]any
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatal(err)
		}
		b.WriteString(string(agui.TypeOf(e)))
		for _, name := range []string{"messageId", "toolCallId", "role", "delta", "content", "value", "outcome", "timestamp", "snapshot"} {
			if v, ok := members[name]; ok {
				text, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				b.WriteString(" " + name + "=" + string(text))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestClientReadsForeignStreams(t *testing.T) {
	t.Parallel()
	const begin, end = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	for _, tc := range []struct{ name, in, want string }{
		{"unknown events are passed over", `{"type":"WHATEVER","x":1}`, ""},
		{"a sentinel is no event", `[DONE]`, ""},
		{
			"chunks are expanded",
			`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"a"}` + "\n" + `{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}`,
			"TEXT_MESSAGE_START messageId=\"m\" role=\"assistant\"\nTEXT_MESSAGE_CONTENT messageId=\"m\" delta=\"a\"\n" +
				"TEXT_MESSAGE_CONTENT messageId=\"m\" delta=\"b\"\nTEXT_MESSAGE_END messageId=\"m\"\n",
		},
		{
			"nulls are absent",
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":null,"rawEvent":null,"metadata":null,"timestamp":null}
			 {"type":"TOOL_CALL_END","toolCallId":"c","timestamp":1.5}
			 {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":null,"toolCalls":null,"name":null}]}`,
			"TOOL_CALL_START toolCallId=\"c\"\nTOOL_CALL_END toolCallId=\"c\" timestamp=1\nMESSAGES_SNAPSHOT\n",
		},
		{"null data stays", `{"type":"CUSTOM","name":"n"}` + "\n" + `{"type":"STATE_SNAPSHOT","snapshot":null}`, "CUSTOM value=null\nSTATE_SNAPSHOT snapshot=null\n"},
		{
			"retired reasoning has no ids",
			`{"type":"THINKING_START"}
			 {"type":"THINKING_TEXT_MESSAGE_START"}
			 {"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm"}
			 {"type":"THINKING_TEXT_MESSAGE_END"}
			 {"type":"THINKING_END"}`,
			"REASONING_START messageId=\"thinking-1-1\"\nREASONING_MESSAGE_START messageId=\"thinking-1-1\" role=\"reasoning\"\n" +
				"REASONING_MESSAGE_CONTENT messageId=\"thinking-1-1\" delta=\"hm\"\nREASONING_MESSAGE_END messageId=\"thinking-1-1\"\nREASONING_END messageId=\"thinking-1-1\"\n",
		},
		{
			"reasoning nobody opened or closed",
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"hm"}`,
			"REASONING_MESSAGE_START messageId=\"m\" role=\"reasoning\"\nREASONING_MESSAGE_CONTENT messageId=\"m\" delta=\"hm\"\nREASONING_MESSAGE_END messageId=\"m\"\n",
		},
		{
			"characters that are split between two events",
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}
			 {"type":"TEXT_MESSAGE_START","messageId":"n","role":"assistant"}
			 {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hi \ud83d"}
			 {"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"\uD83D"}
			 {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ude00!"}
			 {"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"\uDE01"}
			 {"type":"TEXT_MESSAGE_END","messageId":"m"}
			 {"type":"TEXT_MESSAGE_END","messageId":"n"}
			 {"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"f","delta":"{\"a\":\"\ud83d"}
			 {"type":"TOOL_CALL_CHUNK","delta":"\ude00\"}"}
			 {"type":"THINKING_START"}
			 {"type":"THINKING_TEXT_MESSAGE_START"}
			 {"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a\ud83d"}
			 {"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"b"}
			 {"type":"THINKING_TEXT_MESSAGE_END"}
			 {"type":"THINKING_END"}`,
			"TEXT_MESSAGE_START messageId=\"m\" role=\"assistant\"\nTEXT_MESSAGE_START messageId=\"n\" role=\"assistant\"\n" +
				"TEXT_MESSAGE_CONTENT messageId=\"m\" delta=\"Hi \"\nTEXT_MESSAGE_CONTENT messageId=\"m\" delta=\"😀!\"\nTEXT_MESSAGE_CONTENT messageId=\"n\" delta=\"😁\"\n" +
				"TEXT_MESSAGE_END messageId=\"m\"\nTEXT_MESSAGE_END messageId=\"n\"\n" +
				"TOOL_CALL_START toolCallId=\"c\"\nTOOL_CALL_ARGS toolCallId=\"c\" delta=\"{\\\"a\\\":\\\"\"\nTOOL_CALL_ARGS toolCallId=\"c\" delta=\"😀\\\"}\"\nTOOL_CALL_END toolCallId=\"c\"\n" +
				"REASONING_START messageId=\"thinking-1-1\"\nREASONING_MESSAGE_START messageId=\"thinking-1-1\" role=\"reasoning\"\n" +
				"REASONING_MESSAGE_CONTENT messageId=\"thinking-1-1\" delta=\"a\"\nREASONING_MESSAGE_CONTENT messageId=\"thinking-1-1\" delta=\"\uFFFDb\"\n" +
				"REASONING_MESSAGE_END messageId=\"thinking-1-1\"\nREASONING_END messageId=\"thinking-1-1\"\n",
		},
		{
			"a result that is an object, without an id",
			`{"type":"TOOL_CALL_RESULT","toolCallId":"c","content":{"a":1}}`,
			"TOOL_CALL_RESULT messageId=\"result-c\" toolCallId=\"c\" content=\"{\\\"a\\\":1}\"\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, streaming(begin+"\n"+tc.in+"\n"+end))
			events, _, err := collect(t.Context(), newClient(t, client.Options{URL: u.URL}), client.Request{})
			if err != nil {
				t.Fatal(err)
			}
			want := "RUN_STARTED\n" + tc.want + "RUN_FINISHED\n"
			if diff := cmp.Diff(want, shape(t, events)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestClientReadsOutcomesOfDrafts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"outcome":"success"`: `{"type":"success"}`,
		`"outcome":null`:      `null`,
		`"outcome":null,"interrupt":{"id":"i","reason":"approve"}`:                          `{"type":"interrupt","interrupts":[{"id":"i","reason":"approve"}]}`,
		`"outcome":"interrupt","interrupt":{"id":"i","reason":"approve","payload":{"a":1}}`: `{"type":"interrupt","interrupts":[{"id":"i","reason":"approve","metadata":{"value":{"a":1}}}]}`,
		`"interrupt":[{"id":"i","value":1},{"value":2}]`:                                    `{"type":"interrupt","interrupts":[{"id":"i","reason":"input_required","metadata":{"value":1}},{"id":"interrupt-2","reason":"input_required","metadata":{"value":2}}]}`,
	} {
		u := newUpstream(t, streaming(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}
			{"type":"RUN_FINISHED","threadId":"t","runId":"r",`+in+`}`))
		events, _, err := collect(t.Context(), newClient(t, client.Options{URL: u.URL}), client.Request{})
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		finished, ok := events[len(events)-1].(*agui.RunFinished)
		if !ok {
			t.Fatalf("%s: ends with %v", in, events)
		}
		got, err := json.Marshal(finished.Outcome)
		if err != nil || string(got) != want {
			t.Errorf("%s: outcome %s, %v, want %s", in, got, err, want)
		}
	}
}

func TestClientFraming(t *testing.T) {
	t.Parallel()
	const events = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n: ping\n\ndata: {\"type\":\"RUN_FINISHED\",\ndata: \"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	for name, raw := range map[string]string{
		"comments and lines":         events,
		"CRLF":                       strings.ReplaceAll(events, "\n", "\r\n"),
		"no blank line at the end":   strings.TrimSuffix(events, "\n"),
		"no line end at the end":     strings.TrimSuffix(events, "\n\n"),
		"byte order mark, ids, name": "\ufeffid: 1\nevent: message\n" + events,
	} {
		u := newUpstream(t, func(_ *upstream, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			_, _ = io.WriteString(w, raw)
		})
		got, _, err := collect(t.Context(), newClient(t, client.Options{URL: u.URL}), client.Request{})
		if err != nil || len(got) != 2 {
			t.Errorf("%s: %d events, %v", name, len(got), err)
		}
	}
}

func TestClientEndsWithTheRun(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	u := newUpstream(t, func(_ *upstream, w http.ResponseWriter, r *http.Request) {
		stream(w, `{"type":"RUN_STARTED","threadId":"t","runId":"other"}
			{"type":"RUN_FINISHED","threadId":"t","runId":"other"}
			{"type":"RUN_STARTED","threadId":"t","runId":"r"}
			{"type":"RUN_FINISHED","threadId":"t","runId":"r"}
			{"type":"RUN_ERROR","message":"after all"}`)
		select { // never closed from there
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	events, _, err := collect(t.Context(), newClient(t, client.Options{URL: u.URL}), client.Request{})
	if err != nil || len(events) != 5 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

func TestClientAsksOlderServersAgain(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(u *upstream, w http.ResponseWriter, _ *http.Request) {
		if strings.Contains(u.body(len(u.requests())-1), "protocolVersion") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"detail":[{"type":"extra_forbidden","loc":["body","protocolVersion"]}]}`)
			return
		}
		stream(w, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}
			{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	})
	c := newClient(t, client.Options{URL: u.URL})
	in := agui.RunAgentInput{ParentRunID: "p", Messages: agui.List[agui.Message]{{
		ID: "m", Role: agui.RoleTool, ToolCallID: "c", Content: agui.PartsContent(agui.Part{Type: agui.PartText, Text: "yes"}),
	}}}
	for range 2 {
		if _, _, err := collect(t.Context(), c, client.Request{Input: in}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(u.requests()); n != 3 {
		t.Errorf("%d requests, want 3: the second run knows", n)
	}
	const want = `{"threadId":"t","runId":"r","state":{},"messages":[{"id":"m","role":"tool","content":"yes","toolCallId":"c"}],"tools":[],"context":[],"forwardedProps":{}}`
	if diff := cmp.Diff(want, u.body(2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in.Messages[0].Content.IsZero() || u.body(0) == u.body(1) {
		t.Error("the caller's messages were changed, or the first request was an older one")
	}
}

func TestClientHeaders(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, streaming(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}
		{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`))
	c := newClient(t, client.Options{URL: u.URL, Headers: http.Header{"authorization": {"Bearer a"}, "X-Tenant": {"none"}}})
	if _, _, err := collect(t.Context(), c, client.Request{Header: http.Header{"x-tenant": {"b"}}}); err != nil {
		t.Fatal(err)
	}
	h := u.header[0]
	for name, want := range map[string]string{
		"Authorization": "Bearer a", "X-Tenant": "b", "Accept": "text/event-stream", "Content-Type": "application/json",
	} {
		if h.Get(name) != want || len(h.Values(name)) != 1 {
			t.Errorf("%s: %q, want %q", name, h.Values(name), want)
		}
	}
}
