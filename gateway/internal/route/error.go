package route

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/state"
)

// StoreError returns a store's error with its code. An error outside package state means that the store is unavailable.
func StoreError(err error) error {
	switch {
	case errors.Is(err, state.ErrUnknownThread), errors.Is(err, state.ErrUnknownMessage):
		return &errcode.Error{Code: errcode.NotFound, Err: err}
	case errors.Is(err, state.ErrDamaged):
		return &errcode.Error{Code: errcode.ThreadDamaged, Err: err}
	case errors.Is(err, state.ErrLater):
		return &errcode.Error{Code: errcode.StoreTooNew, Err: err}
	case errors.Is(err, state.ErrFull):
		return limit.Reached(limit.Store, &errcode.Error{Code: errcode.Overloaded, Err: err})
	case errors.Is(err, state.ErrStored):
		return limit.Reached(limit.StoredPerPrincipal,
			&errcode.Error{Code: errcode.TooLarge, Text: "Your threads take as much as they may; delete some.",
				Err: err})
	case errors.Is(err, state.ErrCursor):
		return InvalidQuery("cursor", "is not one of ours")
	case errors.Is(err, context.Canceled):
		return err
	default:
		return &errcode.Error{Code: errcode.StoreUnavailable, Err: err}
	}
}

// ErrReaderGone is wrapped by errors of a closed connection, or one with a slow reader. No response can be sent.
var ErrReaderGone = errors.New("gateway: the reader is gone")

// ReaderGone marks an error of a connection as [ErrReaderGone]. Nil stays nil.
func ReaderGone(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrReaderGone, err)
}
