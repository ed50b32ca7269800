package calls

import (
	"errors"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// StoreTimeout is how long a store that hangs may keep a client waiting who can be told to come back later. A store that is
// slow and gets on, with many requests at one thread, is given more than that.
const StoreTimeout = 2 * time.Second

// Permanent reports whether the store would return err again: the thread was deleted, has lost a part or is a later version's, or what
// was asked for is not stored any more. A store that is full stays so for longer than anybody waits for a call.
func Permanent(err error) bool {
	return errors.Is(err, state.ErrUnknownThread) || errors.Is(err, state.ErrDamaged) || errors.Is(err, state.ErrLater) ||
		errors.Is(err, state.ErrTrimmed) || errors.Is(err, state.ErrRevision) || errors.Is(err, state.ErrFull) ||
		errors.Is(err, state.ErrStored)
}
