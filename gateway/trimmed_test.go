package gateway_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A laggard is a store whose logs are read a minute late, when what has ended meanwhile is not kept any more.
type laggard struct{ state.Store }

func (s laggard) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	return func(yield func([]state.Frame, error) bool) {
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return
		}
		for batch, err := range s.Store.Tail(ctx, key, after) {
			if !yield(batch, err) {
				return
			}
		}
	}
}

// newForgetfulDesktop is a desktop whose logs are kept for a second, and read late.
func newForgetfulDesktop(t *testing.T) *desktop {
	t.Helper()
	memory := memstore.New(memstore.Options{LogTTL: time.Second})
	d := newDesktop(t, func(o *gateway.Options) {
		o.Store = laggard{memory}
		o.Agent["slow-queue"] = gateway.AgentOptions{OnBusy: gateway.Queue}
	})
	if err := d.store.Close(); err != nil {
		t.Fatal(err)
	}
	d.store = memory
	return d
}

// Who reads a run that has ended, and whose log is not kept any more, is shown what came of it.
func TestAReaderBehindATrimmedLogIsShownTheThread(t *testing.T) {
	t.Parallel()
	const said = "Half and whole."
	for name, test := range map[string]struct {
		agent, query string
		method, path string // of another reader than the run's own
		body         string
		ends         bool
	}{
		"who posted":               {agent: "slow", ends: true},
		"who posted for later":     {agent: "slow", query: "?disconnect=detach", ends: true},
		"who attached":             {agent: "slow", method: "GET", path: "/threads/t/events?protocolVersion=1.0", ends: true},
		"who follows":              {agent: "slow", method: "GET", path: "/threads/t/events?protocolVersion=1.0&follow=1"},
		"who joined":               {agent: "slow", method: "POST", path: "/agents/slow", body: input("t", "r2", []string{"u1:Hi"}), ends: true},
		"who waits for their turn": {agent: "slow-queue", method: "POST", path: "/agents/slow-queue", body: input("t", "r2", []string{"u1:Hi", "u2:More"}), ends: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newForgetfulDesktop(t)
				defer d.close()
				w := newSink()
				d.serve(w, "POST", "/agents/"+test.agent+test.query, input("t", "r1", []string{"u1:Hi"}))
				if test.path != "" {
					w = newSink()
					d.serve(w, test.method, test.path, test.body)
				}
				d.gate <- struct{}{}
				d.gate <- struct{}{}
				time.Sleep(10 * time.Minute)
				if w.count(said) == 0 || w.count("RUN_FINISHED") != 1 {
					t.Errorf("ten minutes later the reader was sent %s", strings.ReplaceAll(w.sent(), ": keep-alive\n\n", ""))
				}
				if got := d.served(); test.ends && got != 0 {
					t.Errorf("%d requests are still being served", got)
				}
			})
		})
	}
}

// An error is told also where the log does not have it any more.
func TestAReaderBehindATrimmedLogIsToldOfItsFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newForgetfulDesktop(t)
		defer d.close()
		w := newSink()
		d.serve(w, "POST", "/agents/fails", input("t", "r1", []string{"u1:Hi"}))
		time.Sleep(10 * time.Minute)
		if w.count("RUN_ERROR") != 1 || w.count("RUN_FINISHED") != 0 {
			t.Errorf("ten minutes later the reader was sent %s", strings.ReplaceAll(w.sent(), ": keep-alive\n\n", ""))
		}
	})
}

// A reader who is in the middle of a run when the log loses what comes next is told that it cannot be told the end.
func TestAReaderInTheMiddleOfATrimmedLogIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory := closeLast(t, memstore.New(memstore.Options{LogTTL: time.Second}))
		d := newDesktop(t, func(o *gateway.Options) {
			o.Store, o.WriteTimeout, o.Heartbeat = memory, time.Hour, time.Hour
		})
		defer d.close()
		w := &lateSink{sink: newSink(), from: "RUN_STARTED", until: time.Now().Add(10 * time.Minute)}
		d.serve(w, "POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
		d.gate <- struct{}{}
		time.Sleep(time.Hour)
		if w.count(`"code":"run_lost"`) != 1 || w.count("RUN_FINISHED") != 0 {
			t.Errorf("an hour later the reader was sent %s", strings.ReplaceAll(w.sent(), ": keep-alive\n\n", ""))
		}
	})
}

// A lateSink is a sink that takes what has from in it at a certain time.
type lateSink struct {
	*sink
	from  string
	until time.Time
}

func (s *lateSink) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.from) {
		time.Sleep(time.Until(s.until))
	}
	return s.sink.Write(p)
}
