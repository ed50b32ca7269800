package limit

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"
)

// The errors of [Held.Grow].
var (
	// ErrNoRoom means that all owners together have as much as there is.
	ErrNoRoom = errors.New("limit: there is no room")
	// ErrShare means that the owner has its share.
	ErrShare = errors.New("limit: the owner has its share")
)

const (
	// small is the number of bytes per holder from a reserved part: large holders cannot block small ones.
	small = 64 << 10
	// patience is how long a holder waits for room.
	patience = time.Second
)

// Bytes limits how many bytes are held at a time, in total and by each owner. A quarter is reserved for the first 64
// KiB of each holder, or fewer if that is more than an owner's share. Nil has no limit. It is safe for concurrent use.
type Bytes struct {
	small, large part
	first        int64 // bytes of each holder that come from the small part
}

// A part is one of the two pools of bytes.
type part struct {
	room   *semaphore.Weighted
	share  int64 // of each owner; 0 is no limit
	owners Counts
}

// NewBytes returns a limit of most bytes. If shared, an owner may hold a quarter. It is nil if most is not positive.
func NewBytes(most int64, shared bool) *Bytes {
	if most <= 0 {
		return nil
	}
	b := &Bytes{first: small}
	b.small.room, b.large.room = semaphore.NewWeighted(most/4), semaphore.NewWeighted(most-most/4)
	if shared {
		b.first = min(small, max(1, most/16))
		b.small.share, b.large.share = max(1, most/16), max(1, (most-most/4)/4)
	}
	return b
}

// Hold returns an empty holder for the owner.
func (b *Bytes) Hold(owner string) *Held { return &Held{of: b, owner: owner} }

// Held is one holder's share of [Bytes]. It belongs to one goroutine.
type Held struct {
	of       *Bytes
	owner    string
	n        int64
	released bool
}

// Grow increases the bytes held to n, if that is more. It waits up to a second for each part, or until ctx is done.
func (h *Held) Grow(ctx context.Context, n int64) error {
	if h == nil || h.of == nil {
		return nil
	}
	if h.released || n <= h.n {
		return nil
	}
	hadSmall, hadLarge := h.of.parts(h.n)
	wantSmall, wantLarge := h.of.parts(n)
	if err := h.of.small.take(ctx, h.owner, wantSmall-hadSmall); err != nil {
		return err
	}
	if err := h.of.large.take(ctx, h.owner, wantLarge-hadLarge); err != nil {
		h.of.small.release(h.owner, wantSmall-hadSmall)
		return err
	}
	h.n = n
	return nil
}

// Release releases all bytes held.
func (h *Held) Release() {
	if h == nil || h.of == nil {
		return
	}
	fromSmall, fromLarge := h.of.parts(h.n)
	h.of.small.release(h.owner, fromSmall)
	h.of.large.release(h.owner, fromLarge)
	h.n, h.released = 0, true
}

// take acquires n bytes for owner, and may wait. n of 0 never waits. The time limit starts when the waiting starts, so
// a process that was suspended for a second still succeeds if there is room.
func (p *part) take(ctx context.Context, owner string, n int64) error {
	if n == 0 {
		return nil
	}
	if !p.owners.Add(owner, n, p.share) {
		return ErrShare
	}
	if p.room.TryAcquire(n) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, ErrNoRoom)
	defer cancel()
	if p.room.Acquire(ctx, n) != nil {
		p.owners.Done(owner, n)
		return context.Cause(ctx)
	}
	return nil
}

// release gives back n of an owner.
func (p *part) release(owner string, n int64) {
	if n > 0 {
		p.room.Release(n)
		p.owners.Done(owner, n)
	}
}

// parts returns how many of n bytes are a holder's first, and how many follow.
func (b *Bytes) parts(n int64) (first, rest int64) { return min(n, b.first), max(0, n-b.first) }
