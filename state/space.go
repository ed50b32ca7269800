package state

import (
	"context"
	"errors"
	"strings"
)

// ErrFull says that a store has no room for what would be written, and nothing that can go: what it has belongs to live
// runs. Nothing was written. It is returned for begins, forks and patches; a live run can always continue.
var ErrFull = errors.New("state: the store is full")

// ErrStored says that the principal's threads would take more than they may. Nothing was written.
var ErrStored = errors.New("state: the principal's threads take as much as they may")

// affords fails with [ErrStored] if the principal's threads would take more than most bytes after a transition; 0 is
// any number. Transitions that are made at the same time do not see each other.
func (s *store) affords(ctx context.Context, principal string, most int64, transition *Transition) error {
	if most <= 0 || transition == nil {
		return nil
	}
	stored, err := s.backend.Stored(ctx, principal)
	if err == nil && stored+transition.grows() > most {
		err = ErrStored
	}
	return err
}

// Grows is about how many bytes the thread takes more after the write, as far as the transition says: what it adds,
// without what it replaces.
func (w *Write) Grows() int64 { return w.Transition.grows() }

func (s *Transition) grows() int64 {
	n := len(s.State)
	for i := range s.Append {
		n += len(s.Append[i].Raw)
	}
	for i := range s.Frames {
		n += len(s.Frames[i].Data)
	}
	if s.Thread.Rev == 1 { // a fork has answers that were given elsewhere
		for _, a := range s.Thread.Answered {
			n += a.Size
		}
	}
	return int64(n)
}

// Limited reports whether a full store refuses the write: it begins or makes something, and no live run needs it. A run
// that is taken over is live.
func (w *Write) Limited() bool { return w.Lease == nil && !w.Takes && w.Grows() > 0 }

// HasShare reports whether the write counts for its principal's share of the store. Names that begin with a dot are the
// gateway's.
func (w *Write) HasShare() bool {
	return w.Limited() && !strings.HasPrefix(w.Transition.Thread.Key.Principal, ".")
}

// Reserve is the part of a store's limit for live runs: new threads are refused before it.
func Reserve(limit int64) int64 { return limit / 8 }
