package gateway_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A desktop is a gateway without sockets, in a bubble with a clock that the test moves.
type desktop struct {
	t     *testing.T
	g     *gateway.Gateway
	store state.Store
	gate  chan struct{}
}

func newDesktop(t *testing.T, change func(*gateway.Options)) *desktop {
	t.Helper()
	d := &desktop{t: t, gate: make(chan struct{}, 10), store: memstore.New(memstore.Options{})}
	o := gateway.Options{
		Agents: agents(d.gate), Store: d.store, Agent: map[string]gateway.AgentOptions{},
		Log: slog.New(slog.DiscardHandler), RunTimeout: 24 * time.Hour,
	}
	if change != nil {
		change(&o)
	}
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	d.g = g
	return d
}

// close ends the rest of the bubble.
func (d *desktop) close() {
	if err := d.g.Close(); err != nil {
		d.t.Errorf("Close() = %v", err)
	}
	if err := d.store.Close(); err != nil {
		d.t.Errorf("store: Close() = %v", err)
	}
	close(d.gate)
	synctest.Wait()
}

// drain gives the rest of the bubble no more time.
func (d *desktop) drain() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = d.g.Drain(ctx) // that there was no time is the point
}

// serve starts a request; the returned function hangs up.
func (d *desktop) serve(w http.ResponseWriter, method, path, body string) (hangUp func()) {
	ctx, cancel := context.WithCancel(context.Background())
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	go d.g.ServeHTTP(w, r)
	synctest.Wait()
	return cancel
}

// status is how the newest run of agent's thread t stands.
func (d *desktop) status(agent string) state.RunStatus {
	d.t.Helper()
	synctest.Wait()
	t, _, err := d.store.Load(context.Background(), state.Key{Principal: "local", Agent: agent, ID: "t"})
	if err != nil {
		d.t.Fatal(err)
	}
	return t.Run.Status
}

// A sink is a response that keeps what it is sent. With stuck, writes wait for their deadline.
type sink struct {
	mu       sync.Mutex
	stuck    bool
	header   http.Header
	data     bytes.Buffer
	deadline time.Time
}

func newSink() *sink { return &sink{header: http.Header{}} }

// Header is part of http.ResponseWriter.
func (s *sink) Header() http.Header { return s.header }

// WriteHeader is part of http.ResponseWriter.
func (s *sink) WriteHeader(int) {}

// FlushError makes it a writer for streams.
func (s *sink) FlushError() error { return nil }

// SetWriteDeadline makes it a connection.
func (s *sink) SetWriteDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = at
	return nil
}

// Write is part of http.ResponseWriter.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	if s.stuck {
		deadline := s.deadline
		s.mu.Unlock()
		time.Sleep(time.Until(deadline))
		return 0, os.ErrDeadlineExceeded
	}
	defer s.mu.Unlock()
	return s.data.Write(p)
}

// count says how often something was sent.
func (s *sink) count(what string) int {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(s.data.String(), what)
}

func TestHeartbeatsOnQuietStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesktop(t, nil)
		defer d.close()
		w := newSink()
		d.serve(w, "POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
		for beats := range 4 {
			if n := w.count(": keep-alive"); n != beats {
				t.Errorf("%d heartbeats after %d times 15 s", n, beats)
			}
			time.Sleep(15 * time.Second)
		}
		d.gate <- struct{}{}
		if w.count("RUN_FINISHED") != 1 {
			t.Errorf("the run did not end: %s", &w.data)
		}
	})
}

func TestGracesInTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, query string
		options     func(*gateway.Options)
		hangUp      bool
		after       time.Duration
		want        state.RunStatus
	}{
		{"hang-up", "", nil, true, 2 * time.Second, state.RunCancelled},
		{"detached", "?disconnect=detach", nil, true, 10 * time.Minute, state.RunCancelled},
		{"run time", "", func(o *gateway.Options) { o.RunTimeout = 0 }, false, 10 * time.Minute, state.RunError},
		{"run time of the agent", "", func(o *gateway.Options) {
			o.Agent["slow"] = gateway.AgentOptions{RunTimeout: time.Minute}
		}, false, time.Minute, state.RunError},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesktop(t, test.options)
				defer d.close()
				hangUp := d.serve(newSink(), "POST", "/agents/slow"+test.query, input("t", "r1", []string{"u1:Hi"}))
				if test.hangUp {
					hangUp()
					synctest.Wait()
				}
				time.Sleep(test.after - time.Millisecond)
				if got := d.status("slow"); got != state.RunRunning {
					t.Errorf("a moment before, the run is %s", got)
				}
				time.Sleep(2 * time.Millisecond)
				if got := d.status("slow"); got != test.want {
					t.Errorf("a moment after, the run is %s, want %s", got, test.want)
				}
			})
		})
	}
}

func TestADeafAgentIsLeftBehindInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesktop(t, nil)
		defer d.close()
		w := newSink()
		d.serve(w, "POST", "/agents/deaf", input("t", "r1", []string{"u1:Hi"}))
		d.serve(newSink(), "POST", "/threads/t/stop", "")
		time.Sleep(time.Second - time.Millisecond)
		if got := d.status("deaf"); got != state.RunRunning {
			t.Errorf("in its grace, the run is %s", got)
		}
		time.Sleep(2 * time.Millisecond)
		if got := d.status("deaf"); got != state.RunCancelled || w.count(`"cancelled"`) != 1 {
			t.Errorf("after it, the run is %s: %s", got, &w.data)
		}
	})
}

func TestALongRunKeepsItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesktop(t, nil)
		defer d.close()
		d.serve(newSink(), "POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
		for range 60 {
			time.Sleep(time.Minute)
			if keys, err := d.store.Overdue(context.Background(), 1); err != nil || len(keys) != 0 {
				t.Fatalf("Overdue() = %v, %v", keys, err)
			}
		}
	})
}

// A reader that does not read is cut, without a terminal event; the run and its other readers do not notice.
func TestAStalledReaderIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Time stands still while a heartbeat waits for a write: a bubble takes a mutex for work.
		d := newDesktop(t, func(o *gateway.Options) { o.Heartbeat = time.Hour })
		defer d.close()
		own := newSink()
		d.serve(own, "POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
		stalled := newSink()
		d.serve(stalled, "GET", "/threads/t/events?protocolVersion=1.0", "")
		stalled.mu.Lock()
		stalled.stuck = true
		stalled.mu.Unlock()
		d.gate <- struct{}{}
		if own.count("RUN_FINISHED") != 1 {
			t.Errorf("the first reader waits for the stalled one: %s", &own.data)
		}
		time.Sleep(time.Minute)
		if n := stalled.count("RUN_FINISHED") + stalled.count("RUN_ERROR"); n != 0 {
			t.Errorf("a stalled reader was sent a terminal event: %s", &stalled.data)
		}
	})
}
