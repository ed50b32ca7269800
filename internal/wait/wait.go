// Package wait has the wait that ends with its context.
package wait

import (
	"context"
	"time"
)

// For waits for d, or until ctx is done. Then it returns the cause.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
