package langgraph_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/langgraph"
)

// answering answers with a text.
func answering(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Whatever the server does, its turn fails with one code, the team continues, and the log has the cause.
func TestFaultsAreContained(t *testing.T) {
	t.Parallel()
	const begin = "POST /threads/{id}/runs/stream"
	large := strings.Repeat("x", 50<<20)
	hang := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	events := func(events string) http.HandlerFunc { return answering(200, "text/event-stream", events) }
	for name, tc := range map[string]struct {
		route  string
		answer http.HandlerFunc
		cause  string // as the log has it
	}{
		"hangs":                      {begin, hang, "timeout"},
		"a page for a thread":        {"POST /threads", answering(200, "text/html", "<html>Sign in</html>"), "not the JSON"},
		"a page for a run":           {begin, answering(200, "text/html", "<html>Sign in</html>"), "the answer is a web page"},
		"50 MB of state":             {"GET /threads/{id}/state", answering(200, "application/json", `{"values":"`+large+`"}`), "too_large"},
		"50 MB in an event":          {begin, events(`data: "` + large + "\"\n\n"), "too_large"},
		"half an event":              {begin, events("event: values\ndata: {\"a\":"), "cut"},
		"no JSON":                    {begin, events("event: values\ndata: nonsense\n\n"), "not JSON"},
		"a message that is none":     {begin, events("event: messages\ndata: {}\n\n"), "not JSON"},
		"nothing":                    {begin, events(""), "cut"},
		"busy":                       {begin, answering(409, "application/json", `{"detail":"Thread is already running a task."}`), "already running"},
		"no assistant":               {begin, answering(404, "text/plain", `No assistant found for "agent".`), "No assistant found"},
		"not let in":                 {"POST /threads", answering(403, "application/json", `{"detail":"Forbidden"}`), "403"},
		"an error":                   {begin, events("event: metadata\ndata: {\"run_id\":\"lost\"}\n\nevent: error\ndata: {\"error\":\"ValueError\",\"message\":\"no\"}\n\n"), "404"},
		"a subgraph without an end":  {begin, events("event: custom|" + strings.Repeat("a", 2000) + "\ndata: 1\n\n"), "too long a name"},
		"a run that nobody knows of": {begin, events("event: metadata\ndata: {\"run_id\":\"../../x\"}\n\n"), "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(r *run) { r.say("m", "never") })
			s.do(tc.route, tc.answer)
			var log bytes.Buffer
			var o langgraph.Options
			if name == "hangs" {
				o.Idle = 50 * time.Millisecond // others may take longer on a slow machine
			}
			chat := desk(t, s, o)
			chat.Participants[0].OnError = failure.Policy{Skip: true}
			chat.Participants = append(chat.Participants, groupchat.Participant{Name: "next", Agent: desk(t, newServer(t, func(r *run) { r.say("n", "Next.") }), langgraph.Options{})})
			out := groupchattest.NewThread(t, chat, groupchattest.Options{Options: thread.Options{
				Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			}}).Say("go")
			if out.Err != nil || out.Text != "Next." || !strings.Contains(out.Shape(), "error remote_failed") {
				t.Errorf("%v %q: %s", out.Err, out.Text, out.Shape())
			}
			if !strings.Contains(log.String(), tc.cause) || log.Len() > 20_000 {
				t.Errorf("the log of %d bytes does not say %q:\n%.2000s", log.Len(), tc.cause, log.String())
			}
		})
	}
}

// The failure of a graph is reported by its kind, and its words are in the log alone.
func TestAGraphThatFails(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) {
		r.send("error", map[string]any{"error": "ValueError", "message": "it has no such thing"})
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		r.end("error")
	})
	var log bytes.Buffer
	out := groupchattest.NewThread(t, specialist(t, s, langgraph.Options{}), groupchattest.Options{Options: thread.Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	}}).Say("go")
	if out.Code() != "remote_failed" || !strings.Contains(out.Err.Error(), "ValueError") || !strings.Contains(out.Err.Error(), "no such thing") {
		t.Errorf("%v", out.Err)
	}
	for _, e := range out.Events {
		if strings.Contains(groupchattest.Line(e), "no such thing") {
			t.Errorf("people are told %s", groupchattest.Line(e))
		}
	}
}

// An abandoned earlier run of ours on a busy thread is cancelled; one of another client is left alone.
func TestABusyThread(t *testing.T) {
	t.Parallel()
	stays := func(r *run) { <-r.cancelled }
	for name, tc := range map[string]struct {
		metadata map[string]string
		want     string
	}{
		"ours":            {map[string]string{"gateway_run": "earlier"}, ""},
		"somebody else's": {map[string]string{}, "status 422"},
	} {
		s := newServer(t, stays, func(r *run) { r.say("m", "Done.") })
		c, err := langgraph.New(langgraph.Options{Options: client.Options{URL: s.URL}, Assistant: "agent"})
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		s.threads["t"] = &storedThread{values: map[string]any{}}
		s.runs = []*run{{s: s, id: "run1", threadID: "t", status: "running", Metadata: tc.metadata, cancelled: make(chan struct{})}}
		s.mu.Unlock()
		var last error
		for _, err := range c.Run(t.Context(), client.Request{Input: inputOf("t", "r")}) {
			last = err
		}
		if got := text(last); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s: %v", name, last)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The error for an unknown assistant lists the existing ones.
func TestProbe(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for assistant, want := range map[string]string{
		"agent": "", "7738f649-62ad-5c83-ad39-4573e5828c21": "", "agents": "it has agent",
	} {
		c, err := langgraph.New(langgraph.Options{Options: client.Options{URL: s.URL}, Assistant: assistant})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Probe(t.Context(), nil)
		if got := text(err); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %v", assistant, err)
		}
		if _, ok := errors.AsType[*langgraph.NoAssistantError](err); ok != (want != "") {
			t.Errorf("%s: %T", assistant, err)
		}
	}
	if len(s.runs) != 0 {
		t.Error("a probe has begun a run")
	}
}

// A server that cuts every stream, each time behind something new, is not joined for ever, and what its streams bring
// is bounded in all.
func TestAStreamThatIsCutForEver(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		o      langgraph.Options
		most   int64
		reason string
	}{
		"joins":  {langgraph.Options{}, 100, "ended before its run"},
		"events": {langgraph.Options{Options: client.Options{MaxEvents: 10}}, 10, "too many events"},
		"bytes":  {langgraph.Options{Options: client.Options{MaxBytes: 2000}}, 40, "too many bytes"},
	} {
		s := newServer(t)
		var joins atomic.Int64
		piece := func(w http.ResponseWriter, r *http.Request) {
			n := joins.Add(1)
			answering(200, "text/event-stream", fmt.Sprintf("id: %d\nevent: custom\ndata: {}\n\n", n))(w, r)
		}
		s.do("POST /threads/{id}/runs/stream", answering(200, "text/event-stream", "id: 0\nevent: metadata\ndata: {\"run_id\":\"endless\"}\n\n"))
		s.do("GET /threads/{id}/runs/{run}/stream", piece)
		s.do("GET /threads/{id}/runs/{run}", answering(200, "application/json", `{"run_id":"endless","status":"running"}`))
		s.do("POST /threads/{id}/runs/{run}/cancel", answering(200, "application/json", `{}`))
		tc.o.Timeout = time.Minute
		out := groupchattest.NewThread(t, specialist(t, s, tc.o), groupchattest.Options{}).Say("go")
		if out.Code() != "remote_failed" || !strings.Contains(text(out.Err), tc.reason) || joins.Load() > tc.most {
			t.Errorf("%s: %v, after %d joins", name, out.Err, joins.Load())
		}
	}
}
