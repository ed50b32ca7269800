package ledger

import (
	"cmp"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// Limits are the most bytes of a store; 0 is any number.
type Limits struct {
	All   int64 // of all threads
	Share int64 // of the threads of one principal
	Now   func() time.Time
	// Drop removes data that belongs to no thread, and reports whether there was some; nil: there is none.
	Drop func() bool
}

// A Remover removes the oldest run of a thread's log, or the thread.
type Remover func(key state.Key, log bool) error

// Admit makes room for a write. It fails with [state.ErrStored] or [state.ErrFull] if there is none. New threads are
// refused before the last eighth of the limit, which is reserved for live runs.
func (l *Ledger) Admit(w *store.Write, o Limits, remove Remover) error {
	key, n := w.Transition.Thread.Key, w.Grows()
	if o.Share > 0 && w.HasShare() {
		size := func() int64 { return l.Principal(key.Principal) }
		first := func() (state.Key, bool, bool) { return l.FirstOf(key.Principal, o.Now(), key) }
		if room, err := makeRoom(size, o.Share-n, first, remove); err != nil || !room {
			return cmp.Or(err, state.ErrStored)
		}
	}
	if o.All > 0 && w.Limited() {
		if room, err := l.MakeRoom(o.All-store.Reserve(o.All)-n, o, key, remove); err != nil || !room {
			return cmp.Or(err, state.ErrFull)
		}
	}
	return nil
}

// MakeRoom removes old logs and idle threads until the store has at most a number of bytes, and reports whether it has.
// The thread spared may only lose its log.
func (l *Ledger) MakeRoom(most int64, o Limits, spared state.Key, remove Remover) (bool, error) {
	for o.Drop != nil && l.Total() > most && o.Drop() {
	}
	first := func() (state.Key, bool, bool) { return l.First(o.Now(), spared) }
	return makeRoom(l.Total, most, first, remove)
}

// makeRoom removes the first thread, or its log, until a size is at most a number of bytes. Each removal changes the
// next choice.
func makeRoom(size func() int64, most int64, first func() (state.Key, bool, bool), remove Remover) (bool, error) {
	for size() > most {
		key, log, ok := first()
		if !ok {
			return false, nil
		}
		if err := remove(key, log); err != nil {
			return false, err
		}
	}
	return true, nil
}
