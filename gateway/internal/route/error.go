package route

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// StoreError gives the failure of a store its code. An error that is none of the state package's own means that the store
// cannot be reached.
func StoreError(err error) error {
	switch {
	case errors.Is(err, state.ErrUnknownThread), errors.Is(err, state.ErrUnknownMessage):
		return &agui.Error{Code: agui.CodeNotFound, Err: err}
	case errors.Is(err, state.ErrDamaged):
		return &agui.Error{Code: agui.CodeThreadDamaged, Err: err}
	case errors.Is(err, state.ErrCursor):
		return InvalidQuery("cursor", "is not one of ours")
	case errors.Is(err, context.Canceled):
		return err
	default:
		return &agui.Error{Code: agui.CodeStoreUnavailable, Err: err}
	}
}

// ErrReaderGone is in the errors of a connection whose reader is gone, or too slow: nobody is left to be told.
var ErrReaderGone = errors.New("gateway: the reader is gone")

// ReaderGone marks an error of a connection as [ErrReaderGone]. Nil stays nil.
func ReaderGone(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrReaderGone, err)
}
