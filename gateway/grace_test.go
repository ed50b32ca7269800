package gateway_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
)

// sharing makes a desktop a replica on the store of another.
func sharing(store state.Store) func(*gateway.Options) {
	return func(o *gateway.Options) { o.Store, o.Shared = store, true }
}

// A noteCounter counts how often a replica notes its readers.
type noteCounter struct {
	state.Store
	notes atomic.Int64
}

func (s *noteCounter) NoteReader(ctx context.Context, key state.Key, d time.Duration) (time.Duration, bool, error) {
	s.notes.Add(1)
	return s.Store.NoteReader(ctx, key, d)
}

// A run continues while it has a reader, on any replica, and for the grace after the last of them has left.
func TestTheGraceCountsTheReadersOfAllReplicas(t *testing.T) {
	t.Parallel()
	for name, reads := range map[string]func(b *desktop) (leave func()){
		"one who attached": func(b *desktop) func() {
			return b.serve(newSink(), "GET", "/threads/t/events", "")
		},
		"one who joined": func(b *desktop) func() {
			return b.serve(newSink(), "POST", "/agents/slow", input("t", "r2", []string{"u1:Hi"}))
		},
		"one who follows the thread": func(b *desktop) func() {
			return b.serve(newSink(), "GET", "/threads/t/events?follow=1", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newDesktop(t, func(o *gateway.Options) { o.Shared = true })
				defer a.close()
				b := newDesktop(t, sharing(a.store))
				defer b.close()
				hangUp := a.serve(newSink(), "POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
				leave := reads(b)
				hangUp()
				time.Sleep(time.Hour)
				if got := a.status("slow"); got != state.RunRunning {
					t.Fatalf("an hour later, somebody reads it and it is %s", got)
				}
				leave()
				time.Sleep(9 * time.Minute)
				if got := a.status("slow"); got != state.RunRunning {
					t.Errorf("nine minutes after its last reader left the run is %s", got)
				}
				time.Sleep(3 * time.Minute)
				if got := a.status("slow"); got != state.RunCancelled {
					t.Errorf("twelve minutes after its last reader left the run is %s", got)
				}
			})
		})
	}
}

// Who followed the thread before the run began elsewhere counts as well.
func TestTheGraceCountsThoseWhoWereThereBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newDesktop(t, func(o *gateway.Options) { o.Shared = true })
		defer a.close()
		store := &noteCounter{Store: a.store}
		b := newDesktop(t, sharing(store))
		defer b.close()
		a.gate <- struct{}{}
		a.serve(newSink(), "POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
		if got := a.status("slow"); got != state.RunSuccess {
			t.Fatalf("the first run is %s", got)
		}
		for range 3 {
			b.serve(newSink(), "GET", "/threads/t/events?follow=1", "")
		}
		time.Sleep(time.Hour + time.Second) // not when readers are noted, or both happen in any order
		if n := store.notes.Load(); n > 1 {
			t.Errorf("readers of a thread that rests were noted %d times", n)
		}
		hangUp := a.serve(newSink(), "POST", "/agents/slow?disconnect=detach", input("t", "r2", []string{"u1:Hi", "u2:More"}))
		hangUp()
		time.Sleep(time.Hour)
		if got := a.status("slow"); got != state.RunRunning {
			t.Errorf("an hour later, somebody reads it and it is %s", got)
		}
		if n := store.notes.Load(); n > 2*60+1 {
			t.Errorf("readers were noted %d times in an hour", n)
		}
	})
}
