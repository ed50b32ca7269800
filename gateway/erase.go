package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/internal/webhook"
	"github.com/agui-gateway/gateway/state"
)

// ErasePrincipal deletes all data of a principal: it stops live runs on all replicas, then deletes threads with their
// logs, questions and waiting requests, notices for the webhook, and remembered approvals. It returns the number of
// threads deleted, also on error, and may be called again. Threads that begin meanwhile are deleted too, unless they
// begin after the last pass; it does not prevent new ones. patience is how long live runs may take to end before they
// are deleted anyway; 0 means that no replica is running to end them.
//
// It fails with ctx's error if ctx is done before everything is deleted, and with the errors of a [state.Store].
func ErasePrincipal(ctx context.Context, store state.Store, principal string,
	patience time.Duration) (threads int, err error) {
	e := &eraser{store: store, principal: principal, patience: patience}
	for {
		page, err := store.List(ctx, state.Query{Principal: principal, Limit: erasePage})
		if err != nil {
			return threads, err
		}
		if len(page.Threads) == 0 {
			return threads, e.deleteRemaining(ctx)
		}
		n, err := e.threads(ctx, page.Threads)
		threads += n
		if err != nil {
			return threads, err
		}
	}
}

// erasePage is the number of threads that are stopped, and then deleted, at once.
const erasePage = 100

type eraser struct {
	store     state.Store
	principal string
	patience  time.Duration
}

// threads deletes threads. All live runs are stopped before one is waited for.
func (e *eraser) threads(ctx context.Context, list []state.Summary) (deleted int, err error) {
	ending, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	var live []*state.Thread
	for _, t := range list {
		if t.Status != state.StatusRunning || e.patience == 0 {
			continue
		}
		stopped, err := stopForGood(ctx, e.store, t.Key, e.patience)
		if err != nil {
			return 0, err
		}
		if stopped != nil {
			live = append(live, stopped)
		}
	}
	for _, t := range live {
		if err := awaitEnd(ending, e.store, t); err != nil && ctx.Err() == nil &&
			!errors.Is(err, context.DeadlineExceeded) {
			return 0, err
		}
	}
	keys := make([]state.Key, len(list))
	for i, t := range list {
		keys[i] = t.Key
	}
	return e.forget(ctx, keys)
}

// forget deletes threads, and then what a deletion leaves for readers.
func (e *eraser) forget(ctx context.Context, keys []state.Key) (purged int, err error) {
	for _, key := range keys {
		if err := e.store.Delete(ctx, key); err != nil && !errors.Is(err, state.ErrUnknownThread) {
			return 0, err
		}
	}
	for i, key := range keys {
		if err := e.store.Purge(ctx, key); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}

// deleteRemaining deletes the principal's webhook notices and approvals for all threads.
func (e *eraser) deleteRemaining(ctx context.Context) error {
	keys, err := webhook.NoticesOf(ctx, e.store, e.principal)
	if err != nil {
		return err
	}
	_, err = e.forget(ctx, append(keys, state.ApprovalsKey(e.principal)))
	return err
}

// stopForGood requests the end of a thread's live run, and prevents waiting requests from starting another. It returns
// the thread, or nil if nothing runs. A deleted or damaged thread has no live run.
func stopForGood(ctx context.Context, store state.Store, key state.Key, patience time.Duration) (*state.Thread, error) {
	t, _, err := store.Load(ctx, key)
	if errors.Is(err, state.ErrDamaged) || errors.Is(err, state.ErrUnknownThread) {
		return nil, nil
	}
	if err != nil || t.Live == nil {
		return nil, err
	}
	err = store.Hold(ctx, key, rand.Text(), patience+calls.StoreTimeout)
	if err == nil {
		_, err = store.Signal(ctx, key, 0, state.SignalStop)
	}
	if errors.Is(err, state.ErrUnknownThread) {
		return nil, nil
	}
	return t, err
}

// stopPatience bounds the time for a stopped run to end before its thread is deleted anyway.
func (g *Gateway) stopPatience() time.Duration { return 2*g.o.StopGrace + calls.StoreTimeout }

// remaining counts a principal's threads, up to most.
func remaining(ctx context.Context, store state.Store, principal string, most int) (int, error) {
	page, err := store.List(ctx, state.Query{Principal: principal, Limit: most})
	if err != nil {
		return 0, route.StoreError(err)
	}
	return len(page.Threads), nil
}
