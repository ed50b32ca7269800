package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/state"
)

// Principal is the agent and the principal of threads with notices. No other agent or principal has this name.
const Principal = ".webhook"

// Store writes n to the store. Call it before the run's questions are committed, so that n is sent even if this replica
// dies. A store that is away or slow delays the run by [calls.StoreTimeout] at most; then only this replica has n. n
// may be nil.
func (w *Webhook) Store(n *Notice) {
	if n == nil {
		return
	}
	record, err := json.Marshal(n)
	if err != nil {
		return // impossible: n has strings and JSON
	}
	ctx, cancel := context.WithTimeout(context.Background(), calls.StoreTimeout)
	defer cancel()
	begun, err := w.o.Store.Begin(ctx, &state.Request{
		Key: state.Key{Principal: Principal, Agent: Principal, ID: n.id}, RunID: n.id, Hash: n.id,
		ForwardedProps: record,
		Messages:       []agui.Message{{ID: n.id, Role: agui.RoleUser, Content: agui.TextContent("")}},
	}, state.LeaseOptions{Attempt: rand.Text(), TTL: w.o.Timeout + w.o.Lease})
	if err != nil || begun.Lease == nil {
		w.o.Log.Warn("webhook: not kept", "thread", n.Key.ID, "delivery", n.id, "error", err)
		return
	}
	n.lease = begun.Lease
}

// renew renews the lease of n for d; then any replica may send it. It returns false if another one has the lease.
func (w *Webhook) renew(n *Notice, d time.Duration) bool {
	if n.lease == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), calls.StoreTimeout)
	defer cancel()
	return !errors.Is(w.o.Store.Renew(ctx, n.lease, d), state.ErrLeaseLost)
}

// Remove removes n from the store, because it was taken or its questions do not wait any more. A nil n is ignored.
func (w *Webhook) Remove(n *Notice) {
	if n == nil || n.lease == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), calls.StoreTimeout)
	defer cancel()
	if err := w.o.Store.Delete(ctx, n.lease.Key); err != nil && !errors.Is(err, state.ErrUnknownThread) {
		w.o.Log.Warn("webhook: will be delivered again, it could not be forgotten", "delivery", n.id, "error", err)
	}
}

// release lets another replica send n immediately. A notice that is not in the store is lost with this replica.
func (w *Webhook) release(n *Notice) {
	if n.lease == nil {
		w.o.Log.Error("webhook: lost, the store did not keep it", "agent", n.Key.Agent, "thread", n.Key.ID, "delivery",
			n.id)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), calls.StoreTimeout)
	defer cancel()
	if err := w.o.Store.Release(ctx, n.lease); err != nil && !errors.Is(err, state.ErrLeaseLost) {
		w.o.Log.Warn("webhook: lease not released", "delivery", n.id, "error", err)
	}
}

// TakeOver sends a due notice of any replica. Without a receiver it deletes the notice.
func (w *Webhook) TakeOver(ctx context.Context, key state.Key) {
	if w.o.URL == "" {
		if err := w.o.Store.Delete(ctx, key); err == nil {
			w.o.Log.Warn("webhook: dropped, there is no receiver any more", "delivery", key.ID)
		}
		return
	}
	begun, err := w.o.Store.Take(ctx, key, state.LeaseOptions{Attempt: rand.Text(), TTL: w.o.Timeout + w.o.Lease})
	if err != nil {
		return // another replica was faster, or the store is away
	}
	n := &Notice{}
	intent := begun.Thread.Live.Intent
	if err := json.Unmarshal(intent.ForwardedProps, n); err != nil {
		w.o.Log.Error("webhook: dropped, it cannot be read", "delivery", key.ID, "error", err)
		w.Remove(&Notice{lease: begun.Lease})
		return
	}
	n.id, n.lease, n.attempt, n.clock = key.ID, begun.Lease, intent.Attempts, calls.NewClock(begun.Now, w.o.Now)
	switch happened, err := w.wereAsked(ctx, n); {
	case err != nil: // the notice stays and is found again
	case happened:
		w.Start(n)
	default:
		w.Remove(n)
	}
}

// wereAsked reports whether the questions were asked. A replica may die after storing the notice and before committing
// the questions; the run is then taken over, and asks them again with new ids.
func (w *Webhook) wereAsked(ctx context.Context, n *Notice) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, max(calls.StoreTimeout, time.Second))
	defer cancel()
	t, open, err := w.o.Store.Load(ctx, n.Key)
	switch {
	case errors.Is(err, state.ErrUnknownThread):
		return false, nil
	case err != nil:
		return false, err
	}
	if slices.ContainsFunc(open, func(i agui.Interrupt) bool { return slices.Contains(n.IDs, i.ID) }) {
		return true, nil
	}
	if newest := t.Run; newest == nil || newest.Origin == n.Origin {
		return false, nil
	}
	runs, err := w.o.Store.Runs(ctx, n.Key) // a newer run may have answered them
	if err != nil && !errors.Is(err, state.ErrUnknownThread) {
		return false, err
	}
	return slices.ContainsFunc(runs, func(r state.Run) bool {
		return r.Origin == n.Origin && r.Status == state.RunInterrupt
	}), nil
}

// NoticesOf returns the keys of the notices in a store that are about a principal's threads.
func NoticesOf(ctx context.Context, store state.Store, principal string) ([]state.Key, error) {
	var keys []state.Key
	q := state.Query{Principal: Principal, Agent: Principal, Limit: 100}
	for {
		page, err := store.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, summary := range page.Threads {
			t, _, err := store.Load(ctx, summary.Key)
			if errors.Is(err, state.ErrUnknownThread) {
				continue
			}
			if err != nil {
				return nil, err
			}
			var n Notice
			if t.Live != nil && json.Unmarshal(t.Live.Intent.ForwardedProps, &n) == nil &&
				n.Key.Principal == principal {
				keys = append(keys, summary.Key)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return keys, nil
		}
	}
}
