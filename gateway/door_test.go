package gateway_test

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// A door is one replica's way to a store that others share. Nothing is written while shut returns an error.
type door struct {
	state.Store
	shut func() error
}

// Append writes frames of the log.
func (d door) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	if err := d.shut(); err != nil {
		return err
	}
	return d.Store.Append(ctx, l, after, frames)
}

// Commit stores a turn boundary.
func (d door) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	if err := d.shut(); err != nil {
		return nil, err
	}
	return d.Store.Commit(ctx, l, c)
}

// Once records the result of an effect.
func (d door) Once(ctx context.Context, l *state.Lease, key string, result json.RawMessage) error {
	if err := d.shut(); err != nil {
		return err
	}
	return d.Store.Once(ctx, l, key, result)
}

// Renew keeps a lease.
func (d door) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	if err := d.shut(); err != nil {
		return err
	}
	return d.Store.Renew(ctx, l, ttl)
}
