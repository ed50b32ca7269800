package store

import (
	"context"
	"strings"

	"github.com/agui-gateway/gateway/state"
)

// affords fails with [state.ErrStored] if the principal's threads would take more than a number of bytes after a
// transition; 0 is any number. Concurrent transitions do not see each other.
func (s *store) affords(ctx context.Context, principal string, most int64, transition *state.Transition) error {
	if most <= 0 || transition == nil {
		return nil
	}
	stored, err := s.backend.Stored(ctx, principal)
	if err == nil && stored+transition.Grows() > most {
		err = state.ErrStored
	}
	return err
}

// Grows is [state.Transition.Grows] of the transition.
func (w *Write) Grows() int64 { return w.Transition.Grows() }

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
