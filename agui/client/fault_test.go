package client_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/port"
)

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
		o      client.Options
		want   client.Error
	}{
		{"refused with a code", refuse(503, "application/json", `{"error":{"code":"overloaded","message":"busy"}}`, "Retry-After", "7"), client.Options{},
			client.Error{Fault: client.FaultStatus, Status: 503, Code: "overloaded", Message: "busy", RetryAfter: 7 * time.Second}},
		{"refused with a word", refuse(409, "application/json", `{"error":"thread_locked","message":"no"}`), client.Options{},
			client.Error{Fault: client.FaultStatus, Status: 409, Code: "thread_locked", Message: "no"}},
		{"refused as FastAPI does", refuse(404, "application/json", `{"detail":"Not Found"}`), client.Options{},
			client.Error{Fault: client.FaultStatus, Status: 404, Message: "Not Found"}},
		{"refused in prose", refuse(500, "text/plain", "Traceback: secret"), client.Options{}, client.Error{Fault: client.FaultStatus, Status: 500, Message: "Traceback: secret"}},
		{"redirected", refuse(307, "text/plain", "", "Location", "http://127.0.0.1:1/"), client.Options{}, client.Error{Fault: client.FaultStatus, Status: 307}},
		{"no stream", refuse(200, "application/json", `{"ok":true}`), client.Options{}, client.Error{Fault: client.FaultStatus, Status: 200, Message: `{"ok":true}`}},
		{"nothing", refuse(200, "text/event-stream", ""), client.Options{}, client.Error{Fault: client.FaultCut}},
		{"cut between events", streaming(begin), client.Options{}, client.Error{Fault: client.FaultCut}},
		{"cut within an event", refuse(200, "text/event-stream", "data: "+begin+"\n\ndata: {\"type\":\"RUN_FIN"), client.Options{}, client.Error{Fault: client.FaultCut}},
		{"garbage", streaming(begin + "\nnonsense"), client.Options{}, client.Error{Fault: client.FaultInvalid}},
		{"a list", streaming("[" + begin + "]"), client.Options{}, client.Error{Fault: client.FaultInvalid}},
		{"wrong order", streaming(begin + "\n" + `{"type":"TEXT_MESSAGE_END","messageId":"m"}`), client.Options{}, client.Error{Fault: client.FaultInvalid}},
		{"unclosed", streaming(begin + "\n" + `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}` + "\n" + end), client.Options{}, client.Error{Fault: client.FaultInvalid}},
		{"no run", streaming(end), client.Options{}, client.Error{Fault: client.FaultInvalid}},
		{"another major version", streaming(`{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"2.0"}`), client.Options{}, client.Error{Fault: client.FaultInvalid}},
		{"a large event", streaming(begin + "\n" + `{"type":"CUSTOM","name":"n","value":"` + strings.Repeat("x", 5000) + `"}`), client.Options{MaxEvent: 4096}, client.Error{Fault: client.FaultTooLarge}},
		{"many events", streaming(begin + strings.Repeat("\n"+`{"type":"CUSTOM","name":"n","value":1}`, 100)), client.Options{MaxEvents: 50}, client.Error{Fault: client.FaultTooLarge}},
		{"many bytes", streaming(begin + strings.Repeat("\n"+`{"type":"CUSTOM","name":"n","value":1}`, 1000)), client.Options{MaxBytes: 10000}, client.Error{Fault: client.FaultTooLarge}},
		{"many bytes, compressed", bomb, client.Options{MaxBytes: 10000}, client.Error{Fault: client.FaultTooLarge}},
		{"silence", silent, client.Options{Idle: 20 * time.Millisecond}, client.Error{Fault: client.FaultTimeout}},
		{"too long", silent, client.Options{Timeout: 20 * time.Millisecond}, client.Error{Fault: client.FaultTimeout}},
		{"no answer", func(_ *upstream, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			client.Options{Connect: 20 * time.Millisecond}, client.Error{Fault: client.FaultUnreachable}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.o.URL = newUpstream(t, tc.answer).URL + "/secret?key=secret"
			tc.o.Headers = http.Header{"Authorization": {"Bearer secret"}}
			_, _, err := collect(t.Context(), newClient(t, tc.o), client.Request{})
			got, ok := errors.AsType[*client.Error](err)
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
	_, _, err := collect(t.Context(), newClient(t, client.Options{URL: "http://" + port.ForTest(t).Addr() + "/?key=secret"}), client.Request{})
	got, ok := errors.AsType[*client.Error](err)
	if !ok || got.Fault != client.FaultUnreachable || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
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
		c := newClient(t, client.Options{URL: u.URL + tc.path})
		r := client.Request{Leave: func(cause error) bool {
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
	c := newClient(t, client.Options{URL: u.URL + "/agents/a", Server: client.ServerGateway})
	r := client.Request{Input: agui.RunAgentInput{ThreadID: "..", RunID: "r"}}
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
	for _, o := range []client.Options{{}, {URL: "ftp://secret@host"}, {URL: "http://"}, {URL: "http://secret\x7f"}, {URL: "http://h", Server: "x"}} {
		if _, err := client.New(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("NewClient(%q) = %v", o.URL, err)
		}
	}
}

// bomb begins a run and continues with endless comments, a thousand of which compress to a byte. No request allowed
// compression.
func bomb(_ *upstream, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, err := io.WriteString(z, `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}`+"\n\n")
	for comments := []byte(strings.Repeat(": x\n\n", 1<<18)); err == nil && r.Context().Err() == nil; {
		_, err = z.Write(comments)
	}
}
