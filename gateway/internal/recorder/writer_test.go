package recorder

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// An absent store does not answer until it is back.
type absent struct {
	state.Writer
	back    atomic.Bool
	commits atomic.Int64 // that were made
}

var errAway = errors.New("the store is away")

func (s *absent) Commit(context.Context, *state.Lease, state.Commit) (*state.Thread, error) {
	if !s.back.Load() {
		return nil, errAway
	}
	s.commits.Add(1)
	return &state.Thread{}, nil
}

// newWaiting returns a recorder that waits for an absent store for an hour. It ends with the test.
func newWaiting(t *testing.T, s *absent) *Recorder {
	r := New(Options{
		Store: s, Lease: &state.Lease{Fence: 1}, Context: t.Context(), Patience: time.Hour, GiveUp: t.Context(),
		NoteError: func() {}, Wrote: func(int, int) {}, OnFailure: func(error) {}, Now: time.Now,
	})
	t.Cleanup(r.Stop)
	return r
}

func TestCommitsWaitWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &absent{}
		r := newWaiting(t, store)
		var done sync.WaitGroup
		for range 3 {
			done.Go(func() {
				if _, err := r.Commit(t.Context(), state.Commit{}); err != nil {
					t.Errorf("Commit() = %v", err)
				}
			})
		}
		time.Sleep(time.Minute)
		if n := store.commits.Load(); n != 0 {
			t.Errorf("%d commits are made by a store that is away", n)
		}
		store.back.Store(true)
		done.Wait()
		if n := store.commits.Load(); n != 3 {
			t.Errorf("%d commits are made, want 3", n)
		}
	})
}

// TestWaitingForTheWriterEndsWithTheContext has one commit wait for the store, and another one for the first.
func TestWaitingForTheWriterEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &absent{}
		r := newWaiting(t, store)
		var holder sync.WaitGroup
		holder.Go(func() {
			if _, err := r.Commit(t.Context(), state.Commit{}); err != nil {
				t.Errorf("the Commit() that holds the writer = %v", err)
			}
		})
		synctest.Wait()
		stopped := errors.New("stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { stop(stopped) })
		begun := time.Now()
		if _, err := r.Commit(ctx, state.Commit{}); !errors.Is(err, stopped) {
			t.Errorf("Commit() = %v, want the cause of its context", err)
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("Commit() returned %v after it was called, and its context was done after a second", took)
		}
		store.back.Store(true)
		holder.Wait()
		if _, err := r.Commit(t.Context(), state.Commit{}); err != nil {
			t.Errorf("Commit() after one that did not get to write = %v", err)
		}
	})
}

// TestACallEndsWithItsContext has the context end while the call waits to be repeated.
func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newWaiting(t, &absent{})
		stopped := errors.New("stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		const after = time.Minute + time.Millisecond
		time.AfterFunc(after, func() { stop(stopped) })
		begun := time.Now()
		if err := r.Retry(ctx, func(context.Context) error { return errAway }); !errors.Is(err, stopped) {
			t.Errorf("Retry() = %v, want the cause of its context", err)
		}
		if took := time.Since(begun); took != after {
			t.Errorf("Retry() returned after %v, and its context was done after %v", took, after)
		}
	})
}
