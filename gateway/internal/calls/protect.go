package calls

import (
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/agui-gateway/gateway/groupchat/failure"
)

// Protect turns a panic of f into a [*failure.Panic]. Every goroutine of the gateway calls foreign code, such as
// an agent or a store, through Protect: a panic ends one run or one call, and never the process.
func Protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &failure.Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Panicked reports whether err is a panic.
func Panicked(err error) bool {
	_, ok := errors.AsType[*failure.Panic](err)
	return ok
}

// WithCause returns log with the text of err, and with the stack if err is a panic.
func WithCause(log *slog.Logger, err error) *slog.Logger {
	log = log.With("error", err)
	if p, ok := errors.AsType[*failure.Panic](err); ok {
		log = log.With("stack", string(p.Stack))
	}
	return log
}
