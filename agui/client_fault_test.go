package agui_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
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
		o      agui.ClientOptions
		want   agui.ClientError
	}{
		{"refused with a code", refuse(503, "application/json", `{"error":{"code":"overloaded","message":"busy"}}`, "Retry-After", "7"), agui.ClientOptions{},
			agui.ClientError{Fault: agui.FaultStatus, Status: 503, Code: "overloaded", Message: "busy", RetryAfter: 7 * time.Second}},
		{"refused with a word", refuse(409, "application/json", `{"error":"thread_locked","message":"no"}`), agui.ClientOptions{},
			agui.ClientError{Fault: agui.FaultStatus, Status: 409, Code: "thread_locked", Message: "no"}},
		{"refused as FastAPI does", refuse(404, "application/json", `{"detail":"Not Found"}`), agui.ClientOptions{},
			agui.ClientError{Fault: agui.FaultStatus, Status: 404, Message: "Not Found"}},
		{"refused in prose", refuse(500, "text/plain", "Traceback: secret"), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultStatus, Status: 500, Message: "Traceback: secret"}},
		{"redirected", refuse(307, "text/plain", "", "Location", "http://127.0.0.1:1/"), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultStatus, Status: 307}},
		{"no stream", refuse(200, "application/json", `{"ok":true}`), agui.ClientOptions{}, agui.ClientError{Fault: agui.FaultStatus, Status: 200, Message: `{"ok":true}`}},
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
