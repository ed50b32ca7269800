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

// ErasePrincipal deletes all that a store has of a principal: live runs are stopped, on whichever replica they are, and threads with
// their logs, questions and waiting requests, notices for the webhook, and approvals that are remembered, are deleted. It returns how many threads that were, also if it
// fails, and may be called again. Threads that are begun meanwhile are deleted too, unless they are begun after its last look; nothing
// keeps the principal from beginning new ones. Patience is how long live runs may take to end before they are deleted as they are; 0
// means that there is nobody who would end them.
//
// It fails with ctx's error when ctx is done before nothing is left, and with the errors of a [state.Store].
func ErasePrincipal(ctx context.Context, store state.Store, principal string, patience time.Duration) (threads int, err error) {
	e := &eraser{store: store, principal: principal, patience: patience}
	for {
		page, err := store.List(ctx, state.Query{Principal: principal, Limit: erasePage})
		if err != nil {
			return threads, err
		}
		if len(page.Threads) == 0 {
			return threads, e.rest(ctx)
		}
		n, err := e.threads(ctx, page.Threads)
		threads += n
		if err != nil {
			return threads, err
		}
	}
}

// erasePage is how many threads are stopped at once, and then deleted.
const erasePage = 100

// An eraser deletes what there is of a principal.
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
		if err := awaitEnd(ending, e.store, t); err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
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

// rest deletes the notices for the webhook that are about the principal's threads, and what the principal approved of in all of them.
func (e *eraser) rest(ctx context.Context) error {
	keys, err := webhook.NoticesOf(ctx, e.store, e.principal)
	if err != nil {
		return err
	}
	_, err = e.forget(ctx, append(keys, state.ApprovalsKey(e.principal)))
	return err
}

// stopForGood asks for the end of a thread's live run, and keeps requests that wait for its end from starting another. It returns the
// thread, nil if nothing runs. A thread that has lost a part, or is gone, has no live run.
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

// stopPatience is how long a run that was stopped may take to end before its thread is deleted as it is.
func (g *Gateway) stopPatience() time.Duration { return 2*g.o.StopGrace + calls.StoreTimeout }

// remaining is how many threads a principal has, at most most.
func remaining(ctx context.Context, store state.Store, principal string, most int) (int, error) {
	page, err := store.List(ctx, state.Query{Principal: principal, Limit: most})
	if err != nil {
		return 0, route.StoreError(err)
	}
	return len(page.Threads), nil
}
