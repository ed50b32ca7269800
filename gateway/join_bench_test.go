package gateway

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A firstWriter is a connection with a client that hangs up when it has its first events, which are a whole prelude.
type firstWriter struct {
	header http.Header
	hangUp context.CancelFunc
	bytes  int
}

func (w *firstWriter) Header() http.Header { return w.header }
func (w *firstWriter) WriteHeader(int)     {}
func (w *firstWriter) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}

// FlushError is called once behind the headers, and once behind all that is sent at a time.
func (w *firstWriter) FlushError() error {
	if w.bytes > 0 {
		w.hangUp()
	}
	return nil
}

// attach joins a thread until it has the prelude, and returns its bytes.
func (b *costBed) attach(thread string) int {
	ctx, hangUp := context.WithCancel(b.Context())
	defer hangUp()
	w := &firstWriter{header: http.Header{}, hangUp: hangUp}
	b.g.ServeHTTP(w, b.get("/threads/"+thread+"/events").WithContext(ctx))
	if w.bytes == 0 {
		b.Fatal("the reader was sent nothing")
	}
	return w.bytes
}

// waits measures repeated waits: besides the total time the shortest one, which other load on the machine cannot
// reduce, and CPU time.
func (b *costBed) waits(bench *testing.B, do func()) {
	bench.ReportAllocs()
	least := time.Duration(math.MaxInt64)
	var cpu time.Duration
	for bench.Loop() {
		cpu += b.cost(func() {
			started := time.Now()
			do()
			least = min(least, time.Since(started))
		}).cpu
	}
	bench.ReportMetric(float64(least.Microseconds())/1000, "ms-least")
	bench.ReportMetric(float64(cpu.Microseconds())/float64(bench.N), "µs-cpu")
}

// live begins a run without an owner, with a log of about so many events: messages of 200 pieces each.
func (b *costBed) live(thread string, events int) *state.Lease {
	b.Helper()
	begun, err := b.g.store.Begin(b.Context(), b.request(thread, b.said(1, agui.RoleUser)), state.LeaseOptions{Attempt: thread, TTL: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	id, last := state.FrameID{Fence: begun.Lease.Fence}, state.FrameID{}
	var frames []state.Frame
	add := func(e agui.Event) {
		id.Seq++
		f := state.Frame{ID: id, Type: agui.TypeOf(e), Rev: begun.Thread.Rev}
		if f.Type != agui.TypeMessagesSnapshot && f.Type != agui.TypeStateSnapshot {
			var err error
			if f.Data, err = agui.Encode(e); err != nil {
				b.Fatal(err)
			}
		}
		frames = append(frames, f)
	}
	write := func() {
		if err := b.g.store.Append(b.Context(), begun.Lease, last, frames); err != nil {
			b.Fatal(err)
		}
		last, frames = id, nil
	}
	add(&agui.RunStarted{ThreadID: thread, RunID: thread})
	add(&agui.StateSnapshot{Snapshot: json.RawMessage(`{}`)})
	add(&agui.MessagesSnapshot{})
	for n := 0; n < events; n += 200 {
		message := "m" + strconv.Itoa(n)
		add(&agui.TextMessageStart{MessageID: message, Role: agui.RoleAssistant})
		for range 198 {
			add(&agui.TextMessageContent{MessageID: message, Delta: " word" + strconv.Itoa(n)})
		}
		add(&agui.TextMessageEnd{MessageID: message})
		write()
	}
	return begun.Lease
}

// BenchmarkJoin measures how long a reader waits that joins a live run without a cursor: from its request to the end of
// its prelude, which is valid by itself. The rest of the log follows as events.
func BenchmarkJoin(b *testing.B) {
	for _, store := range []string{"memory", "file", "redis"} {
		b.Run("store="+store, func(b *testing.B) {
			bed := newCostBed(b, store)
			for _, events := range []int{200, 20_000} {
				thread := "live" + strconv.Itoa(events)
				bed.live(thread, events)
				b.Run("events="+strconv.Itoa(events), func(b *testing.B) {
					n := 0
					bed.waits(b, func() { n = bed.attach(thread) })
					b.ReportMetric(float64(n), "B/prelude")
				})
			}
		})
	}
}
