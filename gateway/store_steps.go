package gateway

import (
	"context"
	"errors"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// frequentCalls are the calls of a store without a span.
var frequentCalls = map[string]bool{"append": true, "note_reader": true, "overdue": true, "renew": true}

// observeStore returns an observer that measures the calls of a store, and records a span for each if it is part of
// something that is traced. Frequent calls, such as appends to a log, have no span.
func observeStore(t *telemetry.Telemetry) state.Observer {
	return func(ctx context.Context, operation string) (context.Context, func(error)) {
		record := telemetry.Record{Kind: telemetry.KindStore, Name: operation}
		if frequentCalls[operation] || !telemetry.Traced(ctx) {
			step := t.Measure(ctx, record)
			return ctx, func(err error) { step.End(storeFault(err)) }
		}
		ctx, step := telemetry.Begin(telemetry.With(ctx, t), record)
		return ctx, func(err error) { step.End(storeFault(err)) }
	}
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
