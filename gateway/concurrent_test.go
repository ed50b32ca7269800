package gateway_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// together calls f n times at once.
func together(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			f(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

func TestTwentyIdenticalResumesExecuteOnce(t *testing.T) {
	t.Parallel()
	var executed atomic.Int64
	w := newWorld(t, func(o *gateway.Options) {
		o.Log = slog.New(slog.DiscardHandler)
		o.Agents["count"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			if _, err := t.Ask(sizes()); err != nil {
				return err
			}
			executed.Add(1)
			second := sizes()
			second.Key = "second"
			if err := groupchat.SayOnce(t, "once", "It is done."); err != nil {
				return err
			}
			_, err := t.Ask(second)
			return err
		})
	})
	question := w.post("count", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	readers := make([]*reader, 20)
	together(len(readers), func(i int) {
		extra := `"resume":[{"interruptId":` + quote(question) + `,"status":"resolved","payload":{"value":"M"}}]`
		readers[i] = w.post("count", input("t", fmt.Sprintf("again%d", i), []string{"u1:Hi"}, extra))
	})
	if n := executed.Load(); n != 1 {
		t.Errorf("executed %d times, want once", n)
	}
	want := w.thread("t")
	if len(want.Interrupts) != 1 {
		t.Fatalf("the thread waits for %d answers, want 1", len(want.Interrupts))
	}
	for i, r := range readers {
		r.equals(want)
		if got := r.interrupts(); len(got) != 1 || got[0].ID != want.Interrupts[0].ID {
			t.Errorf("stream %d ends with %v", i, got)
		}
		if f := r.finished(); f.RunID != fmt.Sprintf("again%d", i) {
			t.Errorf("stream %d is of run %s", i, f.RunID)
		}
	}
}

// Three runs on each of 60 threads: a message, and an answer to each of two questions.
func TestManyThreadsLeaveNothingBehind(t *testing.T) {
	const threads = 60 // more than the goroutines that may be left
	before := runtime.NumGoroutine()
	w := newWorld(t, func(o *gateway.Options) {
		o.Log = slog.New(slog.DiscardHandler)
	})
	round := func() {
		together(threads, func(i int) {
			thread := fmt.Sprintf("t%d", i)
			r := w.post("steps", input(thread, "r1", []string{"u1:Hi"}))
			for n := range 2 {
				answer := `"resume":[{"interruptId":` + quote(r.interrupts()[0].ID) + `,"status":"resolved","payload":"M"}]`
				r = w.post("steps", input(thread, fmt.Sprintf("r%d", n+2), []string{"u1:Hi"}, answer))
			}
			if r.finished().Outcome.Type != agui.OutcomeSuccess {
				t.Errorf("%s ended with %+v", thread, r.finished().Outcome)
			}
		})
		for i := range threads {
			if status, _ := w.call("DELETE", fmt.Sprintf("/threads/t%d", i), ""); status != 204 {
				t.Errorf("DELETE = %d", status)
			}
		}
		w.client.CloseIdleConnections()
		eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before+20 })
	}
	round() // caches are filled after the first
	first := heap()
	round()
	if second := heap(); second > first+first/2+4<<20 {
		t.Errorf("the heap grew from %d to %d KiB", first>>10, second>>10)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Stops, messages and readers at once on one thread: every stream is in order, and the thread comes to rest.
func TestACrowdOnOneThread(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"slow", "slow-queue", "slow-supersede"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, quick, func(o *gateway.Options) { o.Log = slog.New(slog.DiscardHandler) })
			w.release()
			w.post(agent, input("t", "r0", []string{"u0:Hi"}))
			over := make(chan struct{})
			var helpers sync.WaitGroup
			helpers.Go(func() {
				for {
					select {
					case <-over:
						return
					case w.gate <- struct{}{}:
						time.Sleep(time.Millisecond)
					}
				}
			})
			together(24, func(i int) {
				switch i % 4 {
				case 0:
					w.call("POST", "/threads/t/stop", "")
				case 1:
					w.open("GET", "/threads/t/events?protocolVersion=1.0", "").rest()
				default:
					w.post(agent, input("t", fmt.Sprintf("r%d", i), []string{"u0:Hi", fmt.Sprintf("u%d:More", i)}))
				}
			})
			close(over)
			helpers.Wait()
			w.idle("t")
			w.shows("t")
		})
	}
}
