package calls

import (
	"errors"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// StoreTimeout bounds the delay of clients by a hanging store. A store that makes progress gets more time.
const StoreTimeout = 2 * time.Second

// Permanent reports whether a retry would return err again: the thread is deleted, damaged or of a later version, or
// the requested data is no longer stored. A full store stays full for longer than any call waits.
func Permanent(err error) bool {
	return errors.Is(err, state.ErrUnknownThread) || errors.Is(err, state.ErrDamaged) ||
		errors.Is(err, state.ErrLater) ||
		errors.Is(err, state.ErrTrimmed) || errors.Is(err, state.ErrRevision) || errors.Is(err, state.ErrFull) ||
		errors.Is(err, state.ErrStored)
}
