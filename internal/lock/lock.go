// Package lock provides a mutex that may be held across a wait.
//
// No [sync.Mutex] is held across a wait: a sleep, a channel, a call of a store, of a model or of another server, or a
// lock of this package. A goroutine that waits for a sync.Mutex ignores its context, and stops the clock of a bubble of
// testing/synctest.
package lock

import "context"

// A Lock is a mutex that may be held across a wait. [New] makes one.
type Lock chan struct{}

// New returns an unlocked lock.
func New() Lock { return make(Lock, 1) }

// Lock locks l. It waits for as long as another goroutine holds it.
func (l Lock) Lock() { l <- struct{}{} }

// LockContext locks l. If ctx is done first, it returns the cause and does not lock.
func (l Lock) LockContext(ctx context.Context) error {
	if l.TryLock() {
		return nil
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TryLock locks l if it is free, and reports whether it did.
func (l Lock) TryLock() bool {
	select {
	case l <- struct{}{}:
		return true
	default:
		return false
	}
}

// Unlock unlocks l.
func (l Lock) Unlock() { <-l }
