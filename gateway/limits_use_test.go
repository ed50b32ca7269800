package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// spending adds an agent with a model that uses 12 tokens in each run.
func spending(t *testing.T) func(*gateway.Options) {
	return func(o *gateway.Options) { o.Agents["spends"] = &groupchat.LLM{Model: newThinker(t).model} }
}

// spends has n runs of 12 tokens behind it when one more comes.
func spends(n int) func(w *world) string {
	return func(w *world) string {
		for i := range n {
			w.post("spends", input("t"+strconv.Itoa(i), "r", []string{"u1:Hi"})).finished()
		}
		return ended(w, "/agents/spends", input("more", "r", []string{"u1:Hi"}), 0)
	}
}

// asks makes its burst of requests, and n more after a pause; it returns the result of the last.
func asks(n int, pause time.Duration) func(w *world) string {
	return func(w *world) string {
		code := "ok"
		ask := func() {
			status, body := w.call(http.MethodGet, "/threads", "")
			var f errorBody
			if err := json.Unmarshal([]byte(body), &f); err != nil {
				w.t.Fatal(err)
			}
			if code = "ok"; status != http.StatusOK {
				code = f.Error.Code
			}
		}
		if pause > 0 {
			for range 3 {
				ask()
			}
			w.clock.Move(pause)
		}
		for range n {
			ask()
		}
		return code
	}
}

// stalled sends a request with first bytes of a stalled body, and then one with second bytes.
func stalled(first, second int) func(w *world) string {
	return func(w *world) string {
		hold(w, first, nil)
		body := input("t", "r", []string{"u1:Hi"})
		body = strings.Replace(body, "{", "{"+strings.Repeat(" ", second-len(body)), 1)
		return ended(w, "/agents/silent", body, 0)
	}
}

// hold sends a request with a body of n bytes that does not come, and returns when the gateway waits for it.
func hold(w *world, n int, header http.Header) {
	w.t.Helper()
	waits := make(chan struct{})
	ctx, cancel := context.WithCancel(httptrace.WithClientTrace(w.t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(waits) }}))
	body, never := io.Pipe()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+"/agents/silent", body)
	if err != nil {
		w.t.Fatal(err)
	}
	r.ContentLength = int64(n)
	if header != nil {
		r.Header = header.Clone()
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		response, err := (&http.Transport{ExpectContinueTimeout: time.Hour, DisableKeepAlives: true}).RoundTrip(r)
		if err == nil {
			_ = response.Body.Close() // it was refused
		}
	}()
	w.t.Cleanup(func() {
		cancel()
		_ = never.Close()
		<-ended
	})
	select {
	case <-waits:
	case <-ended:
		w.t.Fatal("the request with a body that does not come was refused")
	case <-time.After(patience):
		w.t.Fatal("never: the gateway asks for the body")
	}
}

// A forwarder is an agent that passes a header on.
type forwarder struct{ groupchat.AgentFunc }

// Forwards names the header.
func (forwarder) Forwards() []string { return []string{"X-Tenant"} }

// Headers that agents forward are kept as long as the run, so their size is limited; others are not kept.
func TestForwardedHeadersAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Agents["forwards"] = forwarder{echoes} })
	const most = 16<<10 - len("X-Tenant")
	for _, test := range []struct {
		agent  string
		size   int
		status int
	}{{"forwards", most, http.StatusOK}, {"forwards", most + 1, http.StatusRequestEntityTooLarge}, {"echo", most + 1, http.StatusOK}} {
		for _, route := range []string{"/agents/" + test.agent, pages + "/agent/" + test.agent + "/run"} {
			status, body := w.call(http.MethodPost, route, pageInput("t", "r", []string{"u1:Hi"}), "X-Tenant", strings.Repeat("x", test.size))
			if status != test.status {
				t.Errorf("POST %s with %d bytes = %d %.200s, want %d", route, test.size, status, body, test.status)
			}
		}
	}
}

// withoutSizes lets an answer be as large as may be written.
func withoutSizes(o *gateway.Options) { o.Limits.Event, o.Limits.Thread, o.Limits.State = -1, -1, -1 }

// writes asks for an answer of n bytes that is written at once, and tells whether all of it comes.
func writes(n int) func(w *world) string {
	return func(w *world) string {
		w.post("keeps", input("t", "r", []string{"u1:" + strings.Repeat("x", n-len(`{"x":""}`)-len("\n"))}))
		response, err := w.try(w.t.Context(), http.MethodGet, "/threads/t/state", "")
		if err != nil {
			return "cut"
		}
		defer response.Body.Close()
		if data, err := io.ReadAll(response.Body); err != nil || len(data) != n {
			return "cut"
		}
		return "ok"
	}
}
