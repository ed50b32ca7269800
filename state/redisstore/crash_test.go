package redisstore_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// retryAppend makes a write until the store takes it, as the owner of a run does. After a gap it sends everything
// again.
func (t *thread) retryAppend(s state.Store, l *state.Lease, seq, n int) {
	t.Helper()
	redistest.Until(t, "an append", func() bool {
		err := s.Append(t.Context(), l, behind(l, seq-1), frames(l, seq, n))
		if errors.Is(err, state.ErrGap) {
			err = s.Append(t.Context(), l, state.FrameID{}, frames(l, 1, seq+n-1))
		}
		if errors.Is(err, state.ErrLeaseLost) {
			t.Fatalf("Append() = %v", err)
		}
		return err == nil
	})
}

func (t *thread) retryEnd(s state.Store, l *state.Lease, seq int) {
	t.Helper()
	redistest.Until(t, "a commit", func() bool {
		_, err := s.Commit(t.Context(), l, end(l, seq))
		return err == nil
	})
}

// TestRestart kills a Redis with a log on disk in the middle of a run: the run, and a reader on another replica,
// continue where they were. The Redis syncs every write: with everysec it may lose the last second, and a run that
// began in it has lost its lease.
func TestRestart(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	l := th.begin(stores[0], time.Hour)
	th.append(stores[0], l, 1, 5)
	ids, _ := th.tail(stores[1], state.FrameID{}, 16)
	server.Kill()
	if err := stores[1].Ping(t.Context()); err == nil {
		t.Error("Ping() of a Redis that is away = nil")
	}
	if err := stores[0].Append(t.Context(), l, behind(l, 5), frames(l, 6, 5)); err == nil || errors.Is(err, state.ErrLeaseLost) {
		t.Errorf("Append() to a Redis that is away = %v", err)
	}
	server.Restart()
	th.retryAppend(stores[0], l, 6, 10)
	th.retryEnd(stores[0], l, 16)
	th.ordered(ids(), 16)
	if _, err := stores[1].Signal(t.Context(), th.key, 0, state.SignalStop); err != nil {
		t.Errorf("Signal() = %v", err)
	}
	redistest.Until(t, "signals", func() bool { // the subscription comes back too
		l := th.begin(stores[0], time.Hour)
		defer th.succeed(stores[0], l, 1)
		if _, err := stores[1].Signal(t.Context(), th.key, 0, state.SignalStop); err != nil {
			t.Fatalf("Signal() = %v", err)
		}
		select {
		case signal := <-l.Signals:
			return signal == state.SignalStop
		case <-time.After(500 * time.Millisecond):
			return false
		}
	})
}

// TestRestartEmpty kills a Redis that keeps nothing: its threads are unknown, to readers and to owners, and can be
// made anew.
func TestRestartEmpty(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	l := th.begin(stores[0], time.Hour)
	th.append(stores[0], l, 1, 5)
	var ends []func() error
	for _, s := range stores {
		ids, ended := th.tail(s, state.FrameID{}, 6)
		_ = ids
		ends = append(ends, ended)
	}
	server.Kill()
	server.Restart()
	for _, ended := range ends {
		if err := ended(); !errors.Is(err, state.ErrUnknownThread) {
			t.Errorf("Tail() = %v, want ErrUnknownThread", err)
		}
	}
	redistest.Until(t, "Redis", func() bool { return stores[0].Ping(t.Context()) == nil })
	if _, _, err := stores[1].Load(t.Context(), th.key); !errors.Is(err, state.ErrUnknownThread) {
		t.Errorf("Load() = %v, want ErrUnknownThread", err)
	}
	if err := stores[0].Append(t.Context(), l, behind(l, 5), frames(l, 6, 1)); !errors.Is(err, state.ErrLeaseLost) {
		t.Errorf("Append() = %v, want ErrLeaseLost", err)
	}
	again := th.begin(stores[1], time.Hour)
	if again.Fence <= l.Fence {
		t.Errorf("fence = %d after %d", again.Fence, l.Fence)
	}
	if holds, err := stores[0].Holds(t.Context(), th.key, behind(l, 5)); holds || err != nil {
		t.Errorf("Holds() of an old cursor = %v, %v", holds, err)
	}
	if _, err := stores[0].Commit(t.Context(), l, end(l, 6)); !errors.Is(err, state.ErrLeaseLost) {
		t.Errorf("Commit() = %v, want ErrLeaseLost", err)
	}
	th.succeed(stores[1], again, 1)
}

// TestFailover kills the master in the middle of a run: the replica replaces it, and a run that was taken over
// meanwhile continues too.
func TestFailover(t *testing.T) {
	t.Parallel()
	set := redistest.StartSentinel(t)
	master := set.Master.Client()
	stores := replicas(t, set.URL(), 2)
	th, orphan := newThread(t), newThread(t)
	l := th.begin(stores[0], time.Hour)
	th.append(stores[0], l, 1, 5)
	dead := orphan.begin(stores[0], time.Millisecond)
	if err := stores[0].Once(t.Context(), dead, "k", json.RawMessage(`"booked"`)); err != nil {
		t.Fatal(err)
	}
	ids, _ := th.tail(stores[1], state.FrameID{}, 11)
	redistest.Until(t, "the replica", func() bool {
		n, err := master.Do(t.Context(), "wait", 1, 1000).Int()
		return err == nil && n == 1
	})
	set.Master.Kill()
	th.retryAppend(stores[0], l, 6, 5)
	th.retryEnd(stores[0], l, 11)
	th.ordered(ids(), 11)
	redistest.Until(t, "the orphan", func() bool {
		keys, err := stores[1].Overdue(t.Context(), 10)
		return err == nil && slices.Contains(keys, orphan.key)
	})
	taken, err := stores[1].Take(t.Context(), orphan.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		t.Fatalf("Take() = %v", err)
	}
	if got := string(taken.Thread.Live.Memo["k"]); got != `"booked"` {
		t.Errorf("memo = %s", got)
	}
	orphan.succeed(stores[1], taken.Lease, 1)
}

// TestBrokenFrame holds a log that somebody else wrote to ending its readers, with an error.
func TestBrokenFrame(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	stores := replicas(t, server.URL(), 2)
	th := newThread(t)
	l := th.begin(stores[0], time.Hour)
	th.append(stores[0], l, 1, 1)
	_, ended := th.tail(stores[1], state.FrameID{}, 3)
	logs, err := client.Keys(t.Context(), "*:ev").Result()
	if err != nil || len(logs) != 1 {
		t.Fatalf("Keys() = %v, %v", logs, err)
	}
	broken := map[string]any{"t": "CUSTOM", "d": "{}", "r": "x", "e": ""}
	if err := client.XAdd(t.Context(), &redis.XAddArgs{Stream: logs[0], ID: behind(l, 2).String(), Values: broken}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := stores[0].Append(t.Context(), l, behind(l, 1), frames(l, 3, 1)); err != nil { // reported to readers
		t.Fatal(err)
	}
	if err := ended(); err == nil {
		t.Error("Tail() = nil, want an error")
	}
	_, ended = th.tail(stores[0], state.FrameID{}, 3)
	if err := ended(); err == nil {
		t.Error("Tail() from the start = nil, want an error")
	}
}
