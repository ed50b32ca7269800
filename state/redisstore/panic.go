package redisstore

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// protect turns a panic of f into an error, and logs it: the goroutines of a store outlive what went wrong in them.
func (s *Store) protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("redisstore: panic: %v", v)
			s.o.Logger.Error("panic", slog.Any("error", err), slog.String("stack", string(debug.Stack())))
		}
	}()
	return f()
}
