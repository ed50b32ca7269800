package redisstore_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// A between is a store that runs a change between the script that reads a thread and the one that writes it: both
// read the time first.
type between struct {
	state.Store
	other  state.Store // writes what happens
	client *redis.Client
	clock  *statetest.Clock

	asked int
	then  func()
}

func newBetween(t *testing.T) *between {
	t.Helper()
	server, prefix := redistest.Start(t), rand.Text()
	b := &between{clock: statetest.NewClock(), client: server.Client()}
	b.other = open(t, server.URL(), redisstore.Options{Prefix: prefix, Now: b.clock.Now})
	b.Store = open(t, server.URL(), redisstore.Options{Prefix: prefix, Now: func() time.Time {
		if b.asked++; b.asked == 2 && b.then != nil {
			b.then()
		}
		return b.clock.Now()
	}})
	return b
}

// when lets f happen in the next call of the store.
func (b *between) when(f func()) { b.asked, b.then = 0, f }

// A result that is recorded while the run is taken over is found by the takeover.
func TestTakeBesideOnce(t *testing.T) {
	t.Parallel()
	s, th := newBetween(t), newThread(t)
	l := th.begin(s.other, time.Second)
	s.clock.Move(time.Second)
	s.when(func() {
		if err := s.other.Once(t.Context(), l, "k", json.RawMessage(`"booked"`)); err != nil {
			t.Errorf("Once() = %v", err)
		}
	})
	taken, err := s.Take(t.Context(), th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		t.Fatalf("Take() = %v", err)
	}
	if got := string(taken.Thread.Live.Memo["k"]); got != `"booked"` {
		t.Errorf("the takeover finds %q", got)
	}
}

// A lease that is renewed while the run is taken over is kept.
func TestTakeBesideRenew(t *testing.T) {
	t.Parallel()
	s, th := newBetween(t), newThread(t)
	l := th.begin(s.other, time.Second)
	s.clock.Move(time.Second)
	s.when(func() {
		if err := s.other.Renew(t.Context(), l, time.Hour); err != nil {
			t.Errorf("Renew() = %v", err)
		}
	})
	if _, err := s.Take(t.Context(), th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour}); !errors.Is(err, state.ErrLeaseLost) {
		t.Errorf("Take() = %v, want ErrLeaseLost", err)
	}
	th.succeed(s.other, l, 1)
}

// Fences grow also where a thread is made and deleted while another of its name is made.
func TestBeginBesideAThreadThatComesAndGoes(t *testing.T) {
	t.Parallel()
	s, th := newBetween(t), newThread(t)
	var fence uint64
	s.when(func() {
		for range 3 {
			fence = th.begin(s.other, time.Hour).Fence
			if err := s.other.Delete(t.Context(), th.key); err != nil {
				t.Errorf("Delete() = %v", err)
			}
		}
	})
	if l := th.begin(s, time.Hour); l.Fence <= fence {
		t.Errorf("fence %d follows %d", l.Fence, fence)
	}
}

// A commit fails if the log loses frames, which the commit knows of, meanwhile.
func TestCommitBesideALossOfFrames(t *testing.T) {
	t.Parallel()
	s, th := newBetween(t), newThread(t)
	l := th.begin(s, time.Hour)
	th.append(s, l, 1, 3)
	s.when(func() {
		keys, err := s.client.Keys(t.Context(), "*}:thread").Result()
		if err != nil || len(keys) != 1 {
			t.Fatalf("Keys() = %v, %v", keys, err)
		}
		if err := s.client.HSet(t.Context(), keys[0], "last", behind(l, 1).String()).Err(); err != nil {
			t.Error(err)
		}
	})
	c := state.Commit{Messages: []agui.Message{{ID: "m1", Role: agui.RoleAssistant}}, After: behind(l, 3)}
	if _, err := s.Commit(t.Context(), l, c); !errors.Is(err, state.ErrGap) {
		t.Errorf("Commit() = %v, want ErrGap", err)
	}
}
