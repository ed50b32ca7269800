package lock_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/internal/lock"
)

func TestOneGoroutineHoldsTheLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := lock.New()
		var all sync.WaitGroup
		held := 0
		for range 10 {
			all.Go(func() {
				l.Lock()
				defer l.Unlock()
				held++
				time.Sleep(time.Second) // the clock advances, because the waiters block on a channel
				if held != 1 {
					t.Errorf("%d goroutines hold the lock", held)
				}
				held--
			})
		}
		begun := time.Now()
		all.Wait()
		if took := time.Since(begun); took != 10*time.Second {
			t.Errorf("ten goroutines held the lock for a second each, in %v", took)
		}
	})
}

func TestLockContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := lock.New()
		stopped := errors.New("stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		if err := l.LockContext(ctx); err != nil {
			t.Fatalf("LockContext() of an unlocked lock = %v", err)
		}
		time.AfterFunc(time.Second, func() { stop(stopped) })
		if err := l.LockContext(ctx); !errors.Is(err, stopped) {
			t.Errorf("LockContext() = %v, want the cause of the context", err)
		}
		l.Unlock()
		if err := l.LockContext(ctx); err != nil {
			t.Errorf("LockContext() of an unlocked lock with a context that is done = %v", err)
		}
	})
}

func TestTryLock(t *testing.T) {
	t.Parallel()
	l := lock.New()
	if !l.TryLock() {
		t.Error("TryLock() of an unlocked lock = false")
	}
	if l.TryLock() {
		t.Error("TryLock() of a locked lock = true")
	}
	l.Unlock()
	if !l.TryLock() {
		t.Error("TryLock() after Unlock() = false")
	}
}
