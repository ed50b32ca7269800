package store_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// The attempt of a deleted thread gets a stop, and the store keeps nothing of it although it writes no more: notices
// for a webhook end by being deleted.
func TestDeleteForgetsTheAttempt(t *testing.T) {
	t.Parallel()
	store := memstore.New(memstore.Options{})
	key := state.Key{Principal: "p", Agent: "a", ID: "t"}
	lease := func() weak.Pointer[state.Lease] {
		begun := begin(t, store, key, "1")
		if err := store.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if told := <-begun.Lease.Signals; told != state.SignalStop {
			t.Errorf("it is told %q", told)
		}
		return weak.Make(begun.Lease)
	}()
	runtime.GC()
	if lease.Value() != nil {
		t.Error("the store keeps the lease of a thread that is gone")
	}
	runtime.KeepAlive(store)
}

// The frames that a store keeps for readers of a run are released with the run, however it ends, if it has no reader.
func TestNothingIsKeptOfARunThatNobodyRead(t *testing.T) {
	t.Parallel()
	key := state.Key{Principal: "p", Agent: "a", ID: "t"}
	end := func(l *state.Lease, seq uint64) state.Commit {
		frame := state.Frame{ID: state.FrameID{Fence: l.Fence, Seq: seq}, Type: agui.TypeRunFinished, Data: []byte(`{}`)}
		return state.Commit{End: &state.End{Status: state.RunSuccess}, Frames: []state.Frame{frame}}
	}
	for name, ends := range map[string]func(s state.Store, l *state.Lease, late func()) error{
		"it ends": func(s state.Store, l *state.Lease, _ func()) error {
			_, err := s.Commit(t.Context(), l, end(l, 1))
			return err
		},
		"its thread is deleted": func(s state.Store, l *state.Lease, _ func()) error { return s.Delete(t.Context(), l.Key) },
		"its thread is deleted and made anew": func(s state.Store, l *state.Lease, _ func()) error {
			if err := s.Delete(t.Context(), l.Key); err != nil {
				return err
			}
			again := begin(t, s, key, "2").Lease
			_, err := s.Commit(t.Context(), again, end(again, 1))
			return err
		},
		"it is released": func(s state.Store, l *state.Lease, _ func()) error { return s.Release(t.Context(), l) },
		"it is taken over": func(s state.Store, l *state.Lease, late func()) error {
			late()
			taken, err := s.Take(t.Context(), key, state.LeaseOptions{Attempt: "2", TTL: time.Hour})
			if err != nil {
				return err
			}
			if _, err := s.Commit(t.Context(), l, end(l, 1)); !errors.Is(err, state.ErrLeaseLost) {
				return fmt.Errorf("Commit() with the lease before = %w", err)
			}
			_, err = s.Commit(t.Context(), taken.Lease, end(taken.Lease, 1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := statetest.NewClock()
			s := memstore.New(memstore.Options{Now: clock.Now})
			begun := begin(t, s, key, "1")
			if n := store.Feeds(s); n != 1 {
				t.Fatalf("a run that lives is kept in %d feeds", n)
			}
			if err := ends(s, begun.Lease, func() { clock.Move(2 * time.Hour) }); err != nil {
				t.Fatal(err)
			}
			if n := store.Feeds(s); n != 0 {
				t.Errorf("%d feeds are kept", n)
			}
		})
	}
}

// begin begins a run on a thread.
func begin(t *testing.T, s state.Store, key state.Key, id string) *state.Begun {
	t.Helper()
	begun, err := s.Begin(t.Context(), &state.Request{
		Key: key, RunID: id, Hash: id, Era: agui.Era1,
		Messages: []agui.Message{{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent("Hello")}},
	}, state.LeaseOptions{Attempt: id, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return begun
}
