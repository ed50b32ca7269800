package gateway

import (
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/agui-gateway/gateway/groupchat"
)

// protect turns a panic of f into a [*groupchat.PanicError]. Every goroutine of this package that calls an agent, a
// store, or anything else it was given does so under it: a panic ends one run, or one try, and never the process.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &groupchat.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// panicked reports whether err is a panic.
func panicked(err error) bool {
	_, ok := errors.AsType[*groupchat.PanicError](err)
	return ok
}

// withCause is log with what goes with err: its text, and the stack if it is a panic.
func withCause(log *slog.Logger, err error) *slog.Logger {
	log = log.With("error", err)
	if p, ok := errors.AsType[*groupchat.PanicError](err); ok {
		log = log.With("stack", string(p.Stack))
	}
	return log
}
