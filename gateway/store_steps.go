package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// A measuredStore records a span for each call of a store. Frequent calls, such as appends to a log, have no span.
type measuredStore struct {
	state.Store
	t *telemetry.Telemetry
}

// step makes a call a step, if it is part of something that is traced.
func (s measuredStore) step(ctx context.Context, operation string, call func(context.Context) error) error {
	if !telemetry.Traced(ctx) {
		return s.measure(ctx, operation, func() error { return call(ctx) })
	}
	ctx, step := telemetry.Begin(telemetry.With(ctx, s.t), telemetry.Record{Kind: telemetry.KindStore, Name: operation})
	err := call(ctx)
	step.End(storeFault(err))
	return err
}

// measure is step for calls without a span.
func (s measuredStore) measure(ctx context.Context, operation string, call func() error) error {
	step := s.t.Measure(ctx, telemetry.Record{Kind: telemetry.KindStore, Name: operation})
	err := call()
	step.End(storeFault(err))
	return err
}

// noFaults are errors that report a condition of the data rather than a failure of the store.
var noFaults = []error{
	state.ErrUnknownThread, state.ErrLeaseLost, state.ErrRevision, state.ErrGap, state.ErrTrimmed,
	state.ErrUnknownMessage,
	state.ErrThreadExists, state.ErrCursor, state.ErrStored, state.ErrUnknownApproval,
}

func storeFault(err error) error {
	if err == nil {
		return nil
	}
	for _, no := range noFaults {
		if errors.Is(err, no) {
			return nil
		}
	}
	if errors.Is(err, context.Canceled) {
		return &errcode.Error{Code: errcode.Cancelled, Err: err}
	}
	return route.StoreError(err)
}

// ask is step for calls with a result.
func ask[T any](ctx context.Context, s measuredStore, operation string,
	call func(context.Context) (T, error)) (v T, err error) {
	err = s.step(ctx, operation, func(ctx context.Context) (err error) {
		v, err = call(ctx)
		return err
	})
	return v, err
}

func (s measuredStore) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	return ask(ctx, s, "begin", func(ctx context.Context) (*state.Begun, error) { return s.Store.Begin(ctx, r, o) })
}

func (s measuredStore) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	return ask(ctx, s, "take", func(ctx context.Context) (*state.Begun, error) { return s.Store.Take(ctx, key, o) })
}

func (s measuredStore) Overdue(ctx context.Context, limit int) (keys []state.Key, err error) {
	err = s.measure(ctx, "overdue", func() error { keys, err = s.Store.Overdue(ctx, limit); return err })
	return keys, err
}

func (s measuredStore) Signal(ctx context.Context, key state.Key, run uint64, signal state.Signal) (bool, error) {
	return ask(ctx, s, "signal", func(ctx context.Context) (bool, error) {
		return s.Store.Signal(ctx, key, run, signal)
	})
}

func (s measuredStore) NoteReader(ctx context.Context, key state.Key,
	d time.Duration) (left time.Duration, live bool, err error) {
	err = s.measure(ctx, "note_reader", func() error { left, live, err = s.Store.NoteReader(ctx, key, d); return err })
	return left, live, err
}

func (s measuredStore) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	return s.measure(ctx, "append", func() error { return s.Store.Append(ctx, l, after, frames) })
}

func (s measuredStore) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	return ask(ctx, s, "commit", func(ctx context.Context) (*state.Thread, error) { return s.Store.Commit(ctx, l, c) })
}

func (s measuredStore) Once(ctx context.Context, l *state.Lease, key string, result json.RawMessage) error {
	return s.step(ctx, "once", func(ctx context.Context) error { return s.Store.Once(ctx, l, key, result) })
}

func (s measuredStore) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	return s.measure(ctx, "renew", func() error { return s.Store.Renew(ctx, l, ttl) })
}

func (s measuredStore) Release(ctx context.Context, l *state.Lease) error {
	return s.step(ctx, "release", func(ctx context.Context) error { return s.Store.Release(ctx, l) })
}

func (s measuredStore) Load(ctx context.Context, key state.Key) (t *state.Thread, open []agui.Interrupt, err error) {
	err = s.step(ctx, "load", func(ctx context.Context) error { t, open, err = s.Store.Load(ctx, key); return err })
	return t, open, err
}

func (s measuredStore) Snapshot(ctx context.Context, key state.Key) (*state.Snapshot, error) {
	return ask(ctx, s, "snapshot",
		func(ctx context.Context) (*state.Snapshot, error) { return s.Store.Snapshot(ctx, key) })
}

func (s measuredStore) Runs(ctx context.Context, key state.Key) ([]state.Run, error) {
	return ask(ctx, s, "runs", func(ctx context.Context) ([]state.Run, error) { return s.Store.Runs(ctx, key) })
}

func (s measuredStore) State(ctx context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	return ask(ctx, s, "state", func(ctx context.Context) (json.RawMessage, error) {
		return s.Store.State(ctx, key, rev)
	})
}

func (s measuredStore) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	return ask(ctx, s, "messages",
		func(ctx context.Context) (state.Conversation, error) { return s.Store.Messages(ctx, key, rev) })
}

func (s measuredStore) Holds(ctx context.Context, key state.Key, id state.FrameID) (bool, error) {
	return ask(ctx, s, "holds", func(ctx context.Context) (bool, error) { return s.Store.Holds(ctx, key, id) })
}

func (s measuredStore) Find(ctx context.Context, principal, id string) ([]state.Key, error) {
	return ask(ctx, s, "find", func(ctx context.Context) ([]state.Key, error) {
		return s.Store.Find(ctx, principal, id)
	})
}

func (s measuredStore) List(ctx context.Context, q state.Query) (state.Page, error) {
	return ask(ctx, s, "list", func(ctx context.Context) (state.Page, error) { return s.Store.List(ctx, q) })
}

func (s measuredStore) Approvals(ctx context.Context, key state.Key) ([]state.Approval, error) {
	return ask(ctx, s, "approvals",
		func(ctx context.Context) ([]state.Approval, error) { return s.Store.Approvals(ctx, key) })
}

func (s measuredStore) Remember(ctx context.Context, key state.Key, a state.Approval) error {
	return s.step(ctx, "remember", func(ctx context.Context) error { return s.Store.Remember(ctx, key, a) })
}

func (s measuredStore) Revoke(ctx context.Context, key state.Key, id string) (state.Approval, error) {
	return ask(ctx, s, "revoke", func(ctx context.Context) (state.Approval, error) {
		return s.Store.Revoke(ctx, key, id)
	})
}

func (s measuredStore) Rename(ctx context.Context, key state.Key, title string) error {
	return s.step(ctx, "rename", func(ctx context.Context) error { return s.Store.Rename(ctx, key, title) })
}

func (s measuredStore) Fork(ctx context.Context, from state.Key, messageID, id string,
	maxStored int64) (*state.Thread, error) {
	return ask(ctx, s, "fork", func(ctx context.Context) (*state.Thread, error) {
		return s.Store.Fork(ctx, from, messageID, id, maxStored)
	})
}

func (s measuredStore) Delete(ctx context.Context, key state.Key) error {
	return s.step(ctx, "delete", func(ctx context.Context) error { return s.Store.Delete(ctx, key) })
}

func (s measuredStore) Purge(ctx context.Context, key state.Key) error {
	return s.step(ctx, "purge", func(ctx context.Context) error { return s.Store.Purge(ctx, key) })
}

func (s measuredStore) PatchState(ctx context.Context, r *state.PatchRequest) (state.PatchResult, error) {
	return ask(ctx, s, "patch_state",
		func(ctx context.Context) (state.PatchResult, error) { return s.Store.PatchState(ctx, r) })
}

var _ state.Store = measuredStore{}
