package memstore

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// request asks for a turn, unless it has no message.
func request(key state.Key, messages ...string) *state.Request {
	r := &state.Request{Key: key, RunID: "run", Hash: "h", Era: agui.Era1}
	for _, id := range messages {
		r.Messages = append(r.Messages, agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("say " + id)})
	}
	return r
}

// TestMemorySweep checks that expired threads are removed without a request for them.
func TestMemorySweep(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	b := newBackend(Options{Now: func() time.Time { return now }})
	s := store.New(b, store.Options{})
	const threads = 3 * sweepLimit
	for i := range threads {
		converseOnce(t, s, state.Key{Principal: "local", ID: fmt.Sprint(i)})
		now = now.Add(time.Millisecond)
	}
	for _, test := range []struct {
		after           time.Duration
		frames, entries int
	}{{0, threads, threads}, {time.Hour, 0, threads}, {30 * 24 * time.Hour, 0, 0}} {
		now = now.Add(test.after)
		overdue(t, s)
		frames := 0
		for _, e := range b.threads {
			frames += len(logOf(&e.log))
		}
		if frames != test.frames || len(b.threads) != test.entries || b.due.Len() != test.entries {
			t.Errorf("after %v: %d frames, %d entries, %d due; want %d and %d", test.after, frames, len(b.threads), b.due.Len(), test.frames, test.entries)
		}
	}
	if len(b.named)+len(b.owned)+len(b.live) > 0 {
		t.Errorf("indices are not empty: %d names, %d owners, %d live", len(b.named), len(b.owned), len(b.live))
	}
}

// converseOnce makes a thread of one run.
func converseOnce(t *testing.T, s state.Store, key state.Key) {
	t.Helper()
	begun, err := s.Begin(t.Context(), request(key, "u1"), state.LeaseOptions{Attempt: "x", TTL: time.Second})
	if err != nil || begun.Lease == nil {
		t.Fatalf("Begin() = %+v, %v", begun, err)
	}
	frame := state.Frame{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{}`)}
	if _, err := s.Commit(t.Context(), begun.Lease, state.Commit{Frames: []state.Frame{frame}, End: &state.End{Status: state.RunSuccess}}); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

// TestTheSweepKeepsPace makes threads at rates that differ by a hundred times, by runs and by forks: there are
// never more than live as long as a thread does, whether or not anything else is asked of the store.
func TestTheSweepKeepsPace(t *testing.T) {
	t.Parallel()
	const seconds, life = 25, 10
	for _, rate := range []int{1, 10, 100} {
		for _, fork := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d each second, forks %v", rate, fork), func(t *testing.T) {
				t.Parallel()
				now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
				b := newBackend(Options{Now: func() time.Time { return now }, LogTTL: life / 2 * time.Second})
				s := store.New(b, store.Options{ThreadTTL: life * time.Second})
				for i := range seconds * rate {
					now = now.Add(time.Second / time.Duration(rate))
					key := state.Key{Principal: "local", ID: fmt.Sprint(i)}
					if fork && i > 0 {
						from := state.Key{Principal: "local", ID: fmt.Sprint(i - 1)}
						if _, err := s.Fork(t.Context(), from, "u1", key.ID, 0); err != nil {
							t.Fatalf("Fork() = %v", err)
						}
					} else {
						converseOnce(t, s, key)
					}
					if most := life*rate + 1; len(b.threads) > most || b.due.Len() > most {
						t.Fatalf("after %d there are %d threads, %d due; want at most %d", i, len(b.threads), b.due.Len(), most)
					}
				}
			})
		}
	}
}

// TestTheSweepIsDivided lets 2,000 threads expire at once: a call that begins a run sweeps a few of them, and one
// that comes by every few seconds all. So it is with the logs that they leave.
func TestTheSweepIsDivided(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	b := newBackend(Options{Now: func() time.Time { return now }, LogTTL: time.Hour})
	s := store.New(b, store.Options{ThreadTTL: time.Minute})
	const threads = 2_000
	for i := range threads {
		converseOnce(t, s, state.Key{Principal: "local", ID: fmt.Sprint(i)})
	}
	for _, test := range []struct {
		what          string
		after         time.Duration
		do            func()
		threads, logs int
	}{
		{"a run", time.Minute, func() { converseOnce(t, s, state.Key{ID: "a"}) }, threads - sweepLimit + 1, sweepLimit},
		{"Overdue", 0, func() { overdue(t, s) }, 1, threads},
		{"another run", 2 * state.DeadLogTTL, func() { converseOnce(t, s, state.Key{ID: "b"}) }, 1, threads - sweepLimit + 1},
		{"Overdue", 0, func() { overdue(t, s) }, 1, 1},
	} {
		now = now.Add(test.after)
		test.do()
		if len(b.threads) != test.threads || b.dead.queue.Len() != test.logs {
			t.Fatalf("after %s there are %d threads and %d logs of threads that are gone, want %d and %d", test.what, len(b.threads), b.dead.queue.Len(), test.threads, test.logs)
		}
	}
}

func overdue(t *testing.T, s state.Store) {
	t.Helper()
	if _, err := s.Overdue(t.Context(), 1); err != nil {
		t.Fatalf("Overdue() = %v", err)
	}
}

// TestMemoryKeepsNothing holds requests that run nothing to leaving nothing behind.
func TestMemoryKeepsNothing(t *testing.T) {
	t.Parallel()
	b := newBackend(Options{})
	s := store.New(b, store.Options{})
	answered := request(state.Key{})
	answered.Answers = []state.Answer{{ID: "q1", Status: agui.ResumeResolved, Payload: json.RawMessage("1")}}
	unknown := request(state.Key{}, "a1")
	unknown.Messages[0].Role = agui.RoleAssistant
	for _, r := range []*state.Request{request(state.Key{}), unknown, answered} {
		if _, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: "x", TTL: time.Second}); err != nil {
			t.Fatalf("Begin() = %v", err)
		}
	}
	if _, _, err := s.Load(t.Context(), state.Key{}); err == nil || len(b.threads) > 0 {
		t.Errorf("Load() = %v, %d entries", err, len(b.threads))
	}
}

// TestTheLogOfADeletedThreadStays has readers of a thread that was deleted: they get the rest of its log for a minute.
func TestTheLogOfADeletedThreadStays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := New(Options{Now: func() time.Time { return now }})
	key := state.Key{Principal: "local", ID: "t"}
	begun, err := s.Begin(t.Context(), request(key, "u1"), state.LeaseOptions{Attempt: "x", TTL: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	read := state.Frame{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{}`)}
	if err := s.Append(t.Context(), begun.Lease, state.FrameID{}, []state.Frame{read}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ after, frames int }{{0, 1}, {59, 1}, {2, 0}} {
		now = now.Add(time.Duration(test.after) * time.Second)
		overdue(t, s)
		frames := 0
		for batch, err := range s.Tail(t.Context(), key, read.ID) {
			if frames += len(batch); err != nil {
				break
			}
		}
		if frames != test.frames {
			t.Errorf("%d s later the log has %d more frames, want %d", test.after, frames, test.frames)
		}
	}
}
