package gateway_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/memstore"
)

// confidential must never be in a log.
const confidential = "what nobody else may read"

// problemAttrs makes a gateway write its log to b, in JSON.
func problemAttrs(b *lockedBuffer) func(*gateway.Options) {
	return func(o *gateway.Options) { o.Log = slog.New(slog.NewJSONHandler(b, nil)) }
}

// lines are the lines of the log that begin with prefix, without their time and what names the request.
func (l *lockedBuffer) lines(t *testing.T, prefix string) []map[string]any {
	t.Helper()
	if strings.Contains(l.String(), confidential) {
		t.Errorf("the log tells what was said:\n%s", l)
	}
	var all []map[string]any
	for text := range strings.Lines(l.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if msg, _ := line["msg"].(string); !strings.HasPrefix(msg, prefix) {
			continue
		}
		delete(line, "time")
		delete(line, "request")
		all = append(all, line)
	}
	return all
}

// wants waits for the lines, and compares them. Of took_ms and fence they only say that they are there.
func (l *lockedBuffer) wants(t *testing.T, prefix string, want ...map[string]any) {
	t.Helper()
	eventually(t, "the lines are there", func() bool { return len(l.lines(t, prefix)) >= len(want) })
	got := l.lines(t, prefix)
	for _, line := range got {
		for _, name := range []string{"took_ms", "fence"} {
			if n, ok := line[name].(float64); ok && n >= 0 && n == float64(int64(n)) {
				line[name] = "a number"
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

// A run has a line at its start and one at its end, by which it is found again.
func TestTheLogHasTheStartAndTheEndOfARun(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	m := newThinker(t)
	w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) {
		o.Agents["desk"] = &groupchat.LLM{Model: m.model}
	})
	w.post("desk", input("t", "r1", []string{"u1:" + confidential}))
	eventually(t, "the first run has ended", func() bool { return len(log.lines(t, "run: ")) == 2 })
	w.post("mute", input("t2", "r2", []string{"u1:" + confidential}))
	log.wants(t, "run: ",
		map[string]any{"level": "INFO", "msg": "run: started", "agent": "desk", "thread": "t", "run_id": "r1", "fence": "a number", "attempt": 1.},
		map[string]any{
			"level": "INFO", "msg": "run: ended", "agent": "desk", "thread": "t", "run_id": "r1", "fence": "a number", "attempt": 1.,
			"status": "success", "took_ms": "a number", "input_tokens": 10., "output_tokens": 2.,
		},
		map[string]any{"level": "INFO", "msg": "run: started", "agent": "mute", "thread": "t2", "run_id": "r2", "fence": "a number", "attempt": 1.},
		map[string]any{
			"level": "ERROR", "msg": "run: failed", "agent": "mute", "thread": "t2", "run_id": "r2", "fence": "a number", "attempt": 1.,
			"code": "agent_failed", "error": "agent_failed: no voice",
		},
		map[string]any{
			"level": "INFO", "msg": "run: ended", "agent": "mute", "thread": "t2", "run_id": "r2", "fence": "a number", "attempt": 1.,
			"status": "error", "code": "agent_failed", "took_ms": "a number",
		},
	)
}

// Another attempt at a run has the run's name, and a separate number and fence.
func TestTheLogHasATakeover(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	synctest.Test(t, func(t *testing.T) {
		a := newDesktop(t, func(o *gateway.Options) { o.Shared = true })
		defer a.close()
		b := newDesktop(t, func(o *gateway.Options) {
			sharing(a.store)(o)
			problemAttrs(&log)(o)
		})
		defer b.close()
		a.serve(newSink(), "POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:" + confidential}))
		a.drain()
		time.Sleep(time.Minute)
		b.gate <- struct{}{}
		synctest.Wait()
	})
	log.wants(t, "run: ",
		map[string]any{"level": "INFO", "msg": "run: taken over", "agent": "slow", "thread": "t", "run_id": "r1", "fence": "a number", "attempt": 2.},
		map[string]any{
			"level": "INFO", "msg": "run: ended", "agent": "slow", "thread": "t", "run_id": "r1", "fence": "a number", "attempt": 2.,
			"status": "success", "took_ms": "a number",
		},
	)
}

// What people do to threads has a line each, on CopilotKit's routes too. A title is what somebody said.
func TestTheLogHasWhatIsDoneToThreads(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	w := newWorld(t, problemAttrs(&log))
	w.post("echo", input("t", "r1", []string{"u1:" + confidential}))
	done := func(method, path, body string) {
		t.Helper()
		if status, answer := w.call(method, path, body); status >= 300 {
			t.Fatalf("%s %s = %d %s", method, path, status, answer)
		}
	}
	done("GET", "/threads/t/events", "")
	done("POST", "/threads/t/stop", "")
	done("PATCH", "/threads/t", `{"title":`+quote(confidential)+`}`)
	done("POST", "/threads/t/fork", `{"messageId":"u1"}`)
	done("POST", "/api/copilotkit/agent/echo/connect", pageInput("t", "c1", nil))
	done("POST", "/api/copilotkit/agent/echo/stop/t", "")
	done("DELETE", "/threads/t", "")
	line := func(msg string, more map[string]any) map[string]any {
		l := map[string]any{"level": "INFO", "msg": "thread: " + msg, "agent": "echo", "thread": "t"}
		for name, value := range more {
			l[name] = value
		}
		return l
	}
	log.wants(t, "thread: ",
		line("attached", nil),
		line("stop", map[string]any{"stopped": false}),
		line("renamed", nil),
		line("forked", map[string]any{"into": w.forked(t)}),
		line("attached", nil),
		line("stop", map[string]any{"stopped": false}),
		line("deleted", nil),
	)
}

// forked is the id of the one thread that there is.
func (w *world) forked(t *testing.T) string {
	t.Helper()
	_, body := w.call("GET", "/threads", "")
	var list struct{ Threads []struct{ ID string } }
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Threads) != 1 {
		t.Fatalf("GET /threads = %s: %v", body, err)
	}
	return list.Threads[0].ID
}

// A readiness probe each second does not fill the server's log: it has only changes.
func TestTheLogHasChangesOfReadiness(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	store := &distantStore{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) { o.Store, o.Now = store, nil })
	asks := func(want int) {
		t.Helper()
		for range 3 {
			if status, body := w.call("GET", "/readyz", ""); status != want {
				t.Errorf("GET /readyz = %d %s, want %d", status, body, want)
			}
		}
	}
	asks(http.StatusOK)
	store.away.Store(true)
	asks(http.StatusServiceUnavailable)
	store.away.Store(false)
	asks(http.StatusOK)
	w.cutShort()
	asks(http.StatusServiceUnavailable)
	log.wants(t, "readiness: ",
		map[string]any{"level": "WARN", "msg": "readiness: not ready", "code": "store_unavailable", "error": "away"},
		map[string]any{"level": "INFO", "msg": "readiness: ready"},
		map[string]any{"level": "WARN", "msg": "readiness: not ready", "code": "draining"},
	)
	if strings.Contains(log.String(), "/readyz") {
		t.Errorf("the log has requests of readiness:\n%s", &log)
	}
}
