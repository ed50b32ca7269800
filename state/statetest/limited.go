package statetest

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// RunLimited holds backends with a limit to what they let go when it is reached, and what never. The limit that open is
// given is in bytes as [store.Backend.Stored] counts them; 0 is none. Else it is as for [RunBackend].
func RunLimited(t *testing.T, open func(t *testing.T, clock *Clock, limit int64) store.Backend) {
	t.Helper()
	for _, p := range limited {
		t.Run(p.says, func(t *testing.T) {
			t.Parallel()
			p.test(t, func(limit int64) *backendWorld {
				return newBackendWorld(t, func(t *testing.T, clock *Clock) store.Backend {
					t.Helper()
					return open(t, clock, limit)
				})
			})
		})
	}
}

// roomFor returns the limit of a store with room for exactly n bytes before it refuses new threads.
func roomFor(n int64) int64 {
	limit := n
	for limit-store.Reserve(limit) < n {
		limit++
	}
	return limit
}

// RunShared holds backends of which each principal has a share to what goes when it is reached, and what never. The
// share that open is given is in bytes as [store.Backend.Stored] counts them; 0 is none.
func RunShared(t *testing.T, open func(t *testing.T, clock *Clock, share int64) store.Backend) {
	t.Helper()
	others := state.Key{Principal: "other", Agent: "travel", ID: "first"}
	with := func(share int64) *backendWorld {
		w := newBackendWorld(t, func(t *testing.T, clock *Clock) store.Backend {
			t.Helper()
			return open(t, clock, share)
		})
		w.idle(others, "others")
		w.pause()
		return w
	}
	for _, tt := range []struct {
		says  string
		begin func(w *backendWorld)
		want  error
		gone  []state.Key
	}{
		{"the oldest idle thread goes", func(w *backendWorld) { twoIdle(w); w.withoutLogs() }, nil, []state.Key{first}},
		{"one with an open question stays", func(w *backendWorld) {
			w.asks(w.begin(first, "first"), day)
			w.pause()
			w.idle(second, "second")
			w.withoutLogs()
		}, nil, []state.Key{second}},
		{"with nothing but questions and runs a new run is refused", func(w *backendWorld) {
			w.asks(w.begin(first, "first"), day)
			w.withoutLogs()
			w.begin(second, "second")
		}, state.ErrStored, nil},
		{"a question that has expired is none", func(w *backendWorld) {
			w.asks(w.begin(first, "first"), time.Minute)
			w.withoutLogs()
			w.begin(second, "second")
		}, nil, []state.Key{first}},
	} {
		measured := with(0)
		tt.begin(measured)
		_, need := measured.next()
		w := with(need - 1)
		tt.begin(w)
		write, _ := w.next()
		_, err := w.b.Write(w.Context(), write)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: Write() = %v, want %v", tt.says, err, tt.want)
		}
		for _, key := range []state.Key{first, second, others} {
			if got, want := w.there(key), !slices.Contains(tt.gone, key); got != want {
				t.Errorf("%s: %s of %s is there: %t", tt.says, key.ID, key.Principal, got)
			}
		}
	}
}

var limited = []struct {
	says string
	// with returns a store with a limit. All count alike, so that one without a limit measures the need.
	test func(t *testing.T, with func(limit int64) *backendWorld)
}{
	{"a run that just fits begins, and one that takes a byte more does not", justFits},
	{"the oldest log of a run that is over goes first", oldestLogFirst},
	{"then goes the thread that was changed longest ago", longestAgo},
	{"a thread with an open question goes when no other is left", questionsLast},
	{"an expired question keeps no thread", expiredQuestion},
	{"a live run never goes, and goes on in a full store", liveNever},
	{"a live run that takes more than what is left to live runs is told to stop", liveStopped},
	{"what a live run writes counts at once", countedAtOnce},
}

var (
	first  = state.Key{Principal: "local", Agent: "travel", ID: "first"}
	second = state.Key{Principal: "local", Agent: "travel", ID: "second"}
	third  = state.Key{Principal: "local", Agent: "travel", ID: "third"}
)

func (w *backendWorld) stored(principal string) int64 {
	w.Helper()
	n, err := w.b.Stored(w.Context(), principal)
	w.works("Stored()", err)
	return n
}

// next is the write of a run that begins on another thread, and what the store takes with it.
func (w *backendWorld) next() (write *store.Write, need int64) {
	w.Helper()
	write = w.beginning(w.read(third, store.ReadOptions{}), "third")
	return write, w.stored("local") + write.Grows()
}

// tight returns a store after a beginning, and a write it has room for but for missing bytes.
func tight(with func(limit int64) *backendWorld, missing int64,
	begin func(w *backendWorld)) (*backendWorld, *store.Write) {
	measured := with(0)
	begin(measured)
	_, need := measured.next()
	w := with(roomFor(need - missing))
	begin(w)
	write, again := w.next()
	if again != need {
		w.Fatalf("the same takes %d bytes, and %d the next time", need, again)
	}
	return w, write
}

func (w *backendWorld) there(key state.Key) bool {
	w.Helper()
	return w.read(key, store.ReadOptions{}).Exists()
}

// has holds the store to having threads, and their logs.
func (w *backendWorld) has(what string, got, want bool) {
	w.Helper()
	if got != want {
		w.Errorf("%s: %t, want %t", what, got, want)
	}
}

func justFits(_ *testing.T, with func(limit int64) *backendWorld) {
	live := func(w *backendWorld) { w.begin(first, "first") }
	w, write := tight(with, 0, live)
	w.write(write)
	w, write = tight(with, 1, live)
	_, err := w.b.Write(w.Context(), write)
	w.fails("Write()", err, state.ErrFull)
	w.has("the thread that was refused is there", w.there(third), false)
}

// pause lets time pass between two steps, so that one is the older one.
func (w *backendWorld) pause() { w.clock.Move(time.Second) }

func twoIdle(w *backendWorld) {
	w.idle(first, "first")
	w.pause()
	w.idle(second, "second")
	w.pause()
}

func oldestLogFirst(_ *testing.T, with func(limit int64) *backendWorld) {
	w, write := tight(with, 1, twoIdle)
	w.write(write)
	page, ids := w.log(first, state.FrameID{})
	w.has("the older log is there", len(ids) > 0, false)
	w.has("the older log says that it is cut", page.Cut.IsZero(), false)
	_, ids = w.log(second, state.FrameID{})
	w.has("the newer log is there", len(ids) > 0, true)
	w.has("the older thread is there", w.there(first), true)
}

// withoutLogs lets the logs of ended runs expire.
func (w *backendWorld) withoutLogs() {
	w.clock.Move(LogTTL + time.Second)
	w.overdue(1)
}

func longestAgo(_ *testing.T, with func(limit int64) *backendWorld) {
	w, write := tight(with, 1, func(w *backendWorld) {
		twoIdle(w)
		w.withoutLogs()
	})
	w.write(write)
	w.has("the thread that was changed longest ago is there", w.there(first), false)
	w.has("the other thread is there", w.there(second), true)
	w.has("readers are told", slices.Contains(w.events, store.Event{Kind: store.EventRemoved, Thread: first.Digest()}),
		true)

	w, write = tight(with, 1, func(w *backendWorld) {
		twoIdle(w)
		w.withoutLogs()
		w.write(w.renaming(w.read(first, store.ReadOptions{}), "used again"))
	})
	w.write(write)
	w.has("the thread that was used again is there", w.there(first), true)
	w.has("the other thread is there", w.there(second), false)
}

// asks ends the run of a lease with a question that is open for so long.
func (w *backendWorld) asks(l *state.Lease, ttl time.Duration) {
	w.Helper()
	until := w.clock.Now().Add(ttl)
	write := w.commit(l, state.Commit{
		Checkpoint: json.RawMessage(`{"v":1}`), Frames: frames(l, 1, 1), End: &state.End{Status: state.RunInterrupt},
		Tokens: []state.Token{{Interrupt: agui.Interrupt{ID: "q", Reason: "input_required"}, ExpiresAt: until,
			Status: state.TokenOpen}},
	})
	write.AsksUntil = until
	w.write(write)
}

func questionsLast(_ *testing.T, with func(limit int64) *backendWorld) {
	w, write := tight(with, 1, func(w *backendWorld) {
		w.asks(w.begin(first, "first"), day)
		w.pause()
		w.idle(second, "second")
		w.withoutLogs()
	})
	w.write(write)
	w.has("the thread that asks is there", w.there(first), true)
	w.has("the thread that does not is there", w.there(second), false)

	w, write = tight(with, 1, func(w *backendWorld) {
		w.asks(w.begin(first, "first"), day)
		w.withoutLogs()
	})
	w.write(write)
	w.has("the only thread, which asks, is there", w.there(first), false)
}

func expiredQuestion(_ *testing.T, with func(limit int64) *backendWorld) {
	w, write := tight(with, 1, func(w *backendWorld) {
		w.asks(w.begin(first, "first"), time.Minute)
		w.pause()
		w.idle(second, "second")
		w.withoutLogs()
	})
	w.write(write)
	w.has("the older thread, whose question has expired, is there", w.there(first), false)
	w.has("the newer thread is there", w.there(second), true)
}

func liveNever(_ *testing.T, with func(limit int64) *backendWorld) {
	w, write := tight(with, 1, func(w *backendWorld) { w.begin(first, "first") })
	_, err := w.b.Write(w.Context(), write)
	w.fails("Write()", err, state.ErrFull)
	live := w.read(first, store.ReadOptions{})
	l := &state.Lease{Key: first, Attempt: live.Thread.Live.Attempt, Fence: live.Thread.Live.Fence}
	w.append(l, 1, 1)
	w.update(first,
		store.AttemptUpdate{Op: store.AttemptRecord, Lease: l, Effect: "paid", Result: json.RawMessage(`true`)})
	w.write(w.commit(l, state.Commit{
		State: object(1), Messages: []agui.Message{assistant("a1")}, Frames: frames(l, 2, 1),
		After: state.FrameID{Fence: l.Fence, Seq: 1}, End: &state.End{Status: state.RunSuccess},
	}))
	w.pause()
	write, _ = w.next()
	w.write(write) // its thread can go now
	w.has("the thread that is over is there", w.there(first), false)
}

func liveStopped(_ *testing.T, with func(limit int64) *backendWorld) {
	w, _ := tight(with, 0, func(w *backendWorld) { w.begin(first, "first") })
	live := w.read(first, store.ReadOptions{})
	l := &state.Lease{Key: first, Attempt: live.Thread.Live.Attempt, Fence: live.Thread.Live.Fence}
	var after state.FrameID
	for seq := uint64(1); ; seq++ {
		before, told, err := w.b.Append(w.Context(), l, 0, after, frames(l, seq, 1))
		w.works("Append()", err)
		if seq == 1 {
			w.has("it is told to stop at once", told.Stopped, false)
		}
		if after = (state.FrameID{Fence: l.Fence, Seq: seq}); told.Stopped {
			break
		}
		if seq > 10000 || before.Compare(after) >= 0 {
			w.Fatal("it is never told to stop")
		}
	}
	w.write(w.commit(l, state.Commit{After: after, End: &state.End{Status: state.RunCancelled}}))
}

func countedAtOnce(_ *testing.T, with func(limit int64) *backendWorld) {
	w := with(0)
	l := w.begin(first, "first")
	sizes := []int64{w.stored("local")}
	w.append(l, 1, 5)
	sizes = append(sizes, w.stored("local"))
	w.update(first, store.AttemptUpdate{Op: store.AttemptRecord, Lease: l, Effect: "paid",
		Result: json.RawMessage(`{"amount":12}`)})
	sizes = append(sizes, w.stored("local"))
	if !slices.IsSorted(sizes) || sizes[0] == 0 || len(slices.Compact(slices.Clone(sizes))) != 3 {
		w.Errorf("with a thread, frames and an effect it is %d, which does not grow", sizes)
	}
}
