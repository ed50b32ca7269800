package agui_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
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

func client(t *testing.T, o agui.ClientOptions) *agui.Client {
	t.Helper()
	c, err := agui.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// collect runs a request to its end: the types of the events, what was noted, and the error.
func collect(ctx context.Context, c *agui.Client, r agui.ClientRequest) (events []agui.Event, notes []string, err error) {
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
		b.WriteString(string(e.EventType()))
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
			"a result that is an object, without an id",
			`{"type":"TOOL_CALL_RESULT","toolCallId":"c","content":{"a":1}}`,
			"TOOL_CALL_RESULT messageId=\"result-c\" toolCallId=\"c\" content=\"{\\\"a\\\":1}\"\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, streaming(begin+"\n"+tc.in+"\n"+end))
			events, _, err := collect(t.Context(), client(t, agui.ClientOptions{URL: u.URL}), agui.ClientRequest{})
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
		`"outcome":"interrupt","interrupt":{"id":"i","reason":"approve","payload":{"a":1}}`: `{"type":"interrupt","interrupts":[{"id":"i","reason":"approve","metadata":{"value":{"a":1}}}]}`,
		`"interrupt":[{"id":"i","value":1},{"value":2}]`:                                    `{"type":"interrupt","interrupts":[{"id":"i","reason":"input_required","metadata":{"value":1}},{"id":"interrupt-2","reason":"input_required","metadata":{"value":2}}]}`,
	} {
		u := newUpstream(t, streaming(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}
			{"type":"RUN_FINISHED","threadId":"t","runId":"r",`+in+`}`))
		events, _, err := collect(t.Context(), client(t, agui.ClientOptions{URL: u.URL}), agui.ClientRequest{})
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
		got, _, err := collect(t.Context(), client(t, agui.ClientOptions{URL: u.URL}), agui.ClientRequest{})
		if err != nil || len(got) != 2 {
			t.Errorf("%s: %d events, %v", name, len(got), err)
		}
	}
}

func TestClientFaults(t *testing.T) {
	t.Parallel()
	const begin, end = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	refuse := func(status int, media, body string, header ...string) func(*upstream, http.ResponseWriter, *http.Request) {
		return func(_ *upstream, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	silent := func(_ *upstream, w http.ResponseWriter, r *http.Request) {
		stream(w, begin)
		<-r.Context().Done()
	}
	for _, tc := range []struct {
		name   string
		answer func(*upstream, http.ResponseWriter, *http.Request)
		o      agui.ClientOptions
		want   agui.ClientError
	}{
		{"refused with a code", refuse(503, "application/json", `{"error":{"code":"overloaded","message":"busy"}}`, "Retry-After", "7"), agui.ClientOptions{},
			agui.ClientError{Fault: agui.FaultStatus, Status: 503, Code: "overloaded", Message: "busy", RetryAfter: 7 * time.Second}},
		{"refused with a word", refuse(409, "application/json", `{"error":"thread_locked","message":"no"}`), agui.ClientOptions{},
			agui.ClientError{Fault: agui.FaultStatus, Status: 409, Code: "thread_locked", Message: "no"}},
		{"refused as FastAPI does", refuse(404, "application/json", `{"detail":"Not Found"}`), agui.ClientOptions{},
			agui.ClientError{Fault: agui.FaultStatus, Status: 404, Message: "Not Found"}},
		{"refused in prose", refuse(500, "text/plain", "Traceback: secret"), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultStatus, Status: 500}},
		{"redirected", refuse(307, "text/plain", "", "Location", "http://127.0.0.1:1/"), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultStatus, Status: 307}},
		{"no stream", refuse(200, "application/json", `{"ok":true}`), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultStatus, Status: 200}},
		{"nothing", refuse(200, "text/event-stream", ""), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultCut}},
		{"cut between events", streaming(begin), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultCut}},
		{"cut within an event", refuse(200, "text/event-stream", "data: "+begin+"\n\ndata: {\"type\":\"RUN_FIN"), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultCut}},
		{"garbage", streaming(begin + "\nnonsense"), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultInvalid}},
		{"a list", streaming("[" + begin + "]"), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultInvalid}},
		{"wrong order", streaming(begin + "\n" + `{"type":"TEXT_MESSAGE_END","messageId":"m"}`), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultInvalid}},
		{"unclosed", streaming(begin + "\n" + `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}` + "\n" + end), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultInvalid}},
		{"no run", streaming(end), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultInvalid}},
		{"another major version", streaming(`{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"2.0"}`), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultInvalid}},
		{"a large event", streaming(begin + "\n" + `{"type":"CUSTOM","name":"n","value":"` + strings.Repeat("x", 5000) + `"}`), agui.ClientOptions{MaxEvent: 4096}, agui.ClientError{Fault: agui.FaultTooLarge}},
		{"many events", streaming(begin + strings.Repeat("\n"+`{"type":"CUSTOM","name":"n","value":1}`, 100)), agui.ClientOptions{MaxEvents: 50}, agui.ClientError{Fault: agui.FaultTooLarge}},
		{"many bytes", streaming(begin + strings.Repeat("\n"+`{"type":"CUSTOM","name":"n","value":1}`, 1000)), agui.ClientOptions{MaxBytes: 10000}, agui.ClientError{Fault: agui.FaultTooLarge}},
		{"silence", silent, agui.ClientOptions{Idle: 20 * time.Millisecond}, agui.ClientError{Fault: agui.FaultTimeout}},
		{"too long", silent, agui.ClientOptions{Timeout: 20 * time.Millisecond}, agui.ClientError{Fault: agui.FaultTimeout}},
		{"no answer", func(_ *upstream, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			agui.ClientOptions{Connect: 20 * time.Millisecond}, agui.ClientError{Fault: agui.FaultUnreachable}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.o.URL = newUpstream(t, tc.answer).URL + "/secret?key=secret"
			tc.o.Headers = http.Header{"Authorization": {"Bearer secret"}}
			_, _, err := collect(t.Context(), client(t, tc.o), agui.ClientRequest{})
			got, ok := errors.AsType[*agui.ClientError](err)
			if !ok {
				t.Fatalf("error %v", err)
			}
			if strings.Contains(err.Error(), "secret") || tc.want.Message != "" && strings.Contains(err.Error(), tc.want.Message) {
				t.Errorf("the error tells too much: %v", err)
			}
			flat := *got
			flat.Err = nil
			if diff := cmp.Diff(tc.want, flat); diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestClientUnreachable(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, streaming(""))
	u.Close()
	_, _, err := collect(t.Context(), client(t, agui.ClientOptions{URL: u.URL + "/?key=secret"}), agui.ClientRequest{})
	got, ok := errors.AsType[*agui.ClientError](err)
	if !ok || got.Fault != agui.FaultUnreachable || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
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
	events, _, err := collect(t.Context(), client(t, agui.ClientOptions{URL: u.URL}), agui.ClientRequest{})
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
	c := client(t, agui.ClientOptions{URL: u.URL})
	in := agui.RunAgentInput{ParentRunID: "p", Messages: agui.List[agui.Message]{{
		ID: "m", Role: agui.RoleTool, ToolCallID: "c", Content: agui.PartsContent(agui.Part{Type: agui.PartText, Text: "yes"}),
	}}}
	for range 2 {
		if _, _, err := collect(t.Context(), c, agui.ClientRequest{Input: in}); err != nil {
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
	c := client(t, agui.ClientOptions{URL: u.URL, Headers: http.Header{"authorization": {"Bearer a"}, "X-Tenant": {"none"}}})
	if _, _, err := collect(t.Context(), c, agui.ClientRequest{Header: http.Header{"x-tenant": {"b"}}}); err != nil {
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

func TestClientStops(t *testing.T) {
	t.Parallel()
	gateway := func(u *upstream, w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/capabilities"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"identity":{"type":"gateway"}}`)
		case strings.Contains(r.URL.Path, "/stop"):
			_, _ = io.WriteString(w, `{"stopped":true}`)
		default:
			stream(w, `{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"1.0"}`)
			<-r.Context().Done()
		}
	}
	for _, tc := range []struct {
		path  string
		leave bool
		want  []string
	}{
		{"/x/agents/a%20b", false, []string{"GET /x/agents/a%20b/capabilities", "POST /x/agents/a%20b?disconnect=detach", "POST /x/threads/t/stop?agent=a+b"}},
		{"/x/agents/a", true, []string{"GET /x/agents/a/capabilities", "POST /x/agents/a?disconnect=detach"}},
		{"/api/copilotkit/agent/a/run", false, []string{"POST /api/copilotkit/agent/a/run", "POST /api/copilotkit/agent/a/stop/t"}},
		{"/a?x=1", false, []string{"POST /a?x=1"}},
	} {
		u := newUpstream(t, gateway)
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		c := client(t, agui.ClientOptions{URL: u.URL + tc.path})
		r := agui.ClientRequest{Leave: func(cause error) bool {
			if !errors.Is(cause, stopped) {
				t.Errorf("%s: cause %v", tc.path, cause)
			}
			return tc.leave
		}}
		r.Input.ThreadID, r.Input.RunID = "t", "r"
		var last error
		defer cancel(nil)
		for _, err := range c.Run(ctx, r) {
			cancel(stopped)
			last = err
		}
		if !errors.Is(last, stopped) {
			t.Errorf("%s: error %v", tc.path, last)
		}
		if diff := cmp.Diff(tc.want, u.requests()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.path, diff)
		}
	}
}

func TestClientStopsWhatIsNotReadToTheEnd(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(_ *upstream, w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/stop") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		stream(w, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}
			{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	})
	c := client(t, agui.ClientOptions{URL: u.URL + "/agents/a", Server: agui.ServerGateway})
	r := agui.ClientRequest{Input: agui.RunAgentInput{ThreadID: "..", RunID: "r"}}
	for _, err := range c.Run(t.Context(), r) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if diff := cmp.Diff([]string{"POST /agents/a?disconnect=detach", "POST /threads/%2E%2E/stop?agent=a"}, u.requests()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewClientRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []agui.ClientOptions{{}, {URL: "ftp://secret@host"}, {URL: "http://"}, {URL: "http://secret\x7f"}, {URL: "http://h", Server: "x"}} {
		if _, err := agui.NewClient(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("NewClient(%q) = %v", o.URL, err)
		}
	}
}
