package gateway

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

// webhookPrincipal is the agent and the principal of threads that are notices. No agent and no caller has such a name.
const webhookPrincipal = ".webhook"

// persist writes n to the store before its run is kept as waiting, so that it is told even if this replica dies then. A store
// that is away or slow holds the run up for storeTimeout at most: n is then told by this replica alone.
func (w *webhook) persist(n *notice) {
	if n == nil {
		return
	}
	record, err := json.Marshal(n)
	if err != nil {
		return // strings and JSON
	}
	ctx, cancel := context.WithTimeout(context.Background(), calls.StoreTimeout)
	defer cancel()
	begun, err := w.g.store.Begin(ctx, &state.Request{
		Key: state.Key{Principal: webhookPrincipal, Agent: webhookPrincipal, ID: n.id}, RunID: n.id, Hash: n.id, ForwardedProps: record,
		Messages: []agui.Message{{ID: n.id, Role: agui.RoleUser, Content: agui.TextContent("")}},
	}, state.LeaseOptions{Attempt: rand.Text(), TTL: w.o.Timeout + w.g.o.Lease})
	if err != nil || begun.Lease == nil {
		w.g.o.Log.Warn("webhook: not kept", "thread", n.Key.ID, "delivery", n.id, "error", err)
		return
	}
	n.lease = begun.Lease
}

// renew keeps n this replica's for d; afterwards whoever finds it sends it. False says that it is somebody else's.
func (w *webhook) renew(n *notice, d time.Duration) bool {
	if n.lease == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), calls.StoreTimeout)
	defer cancel()
	return !errors.Is(w.g.store.Renew(ctx, n.lease, d), state.ErrLeaseLost)
}

// remove removes n from the store: it arrived, or is no news any more.
func (w *webhook) remove(n *notice) {
	if n == nil || n.lease == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), calls.StoreTimeout)
	defer cancel()
	if err := w.g.store.Delete(ctx, n.lease.Key); err != nil && !errors.Is(err, state.ErrUnknownThread) {
		w.g.o.Log.Warn("webhook: will be delivered again, it could not be forgotten", "delivery", n.id, "error", err)
	}
}

// release gives n to another replica at once, if there is one. What the store does not have ends with this one.
func (w *webhook) release(n *notice) {
	if n.lease == nil {
		w.g.o.Log.Error("webhook: lost, the store did not keep it", "agent", n.Key.Agent, "thread", n.Key.ID, "delivery", n.id)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), calls.StoreTimeout)
	defer cancel()
	if err := w.g.store.Release(ctx, n.lease); err != nil && !errors.Is(err, state.ErrLeaseLost) {
		w.g.o.Log.Warn("webhook: lease not released", "delivery", n.id, "error", err)
	}
}

// takeOver goes on with a notice that is due, whichever replica kept it. Without a receiver nobody will ever want it.
func (w *webhook) takeOver(ctx context.Context, key state.Key) {
	if w.o.URL == "" {
		if err := w.g.store.Delete(ctx, key); err == nil {
			w.g.o.Log.Warn("webhook: dropped, there is no receiver any more", "delivery", key.ID)
		}
		return
	}
	begun, err := w.g.store.Take(ctx, key, state.LeaseOptions{Attempt: rand.Text(), TTL: w.o.Timeout + w.g.o.Lease})
	if err != nil {
		return // another replica was faster, or the store is away
	}
	n := &notice{}
	intent := begun.Thread.Live.Intent
	if err := json.Unmarshal(intent.ForwardedProps, n); err != nil {
		w.g.o.Log.Error("webhook: dropped, it cannot be read", "delivery", key.ID, "error", err)
		w.remove(&notice{lease: begun.Lease})
		return
	}
	n.id, n.lease, n.attempt, n.clock = key.ID, begun.Lease, intent.Attempts, w.g.clockAt(begun.Now)
	switch happened, err := w.wereAsked(ctx, n); {
	case err != nil: // it is found again
	case happened:
		w.start(n)
	default:
		w.remove(n)
	}
}

// wereAsked reports whether the questions were asked. A replica may die after it kept the notice and before it kept the
// questions; the run is then repeated, and asks anew.
func (w *webhook) wereAsked(ctx context.Context, n *notice) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, max(calls.StoreTimeout, time.Second))
	defer cancel()
	t, open, err := w.g.store.Load(ctx, n.Key)
	switch {
	case errors.Is(err, state.ErrUnknownThread):
		return false, nil
	case err != nil:
		return false, err
	}
	if slices.ContainsFunc(open, func(i agui.Interrupt) bool { return slices.Contains(n.IDs, i.ID) }) {
		return true, nil
	}
	if newest := t.Newest(); newest == nil || newest.Origin == n.Origin {
		return false, nil
	}
	runs, err := w.g.store.Runs(ctx, n.Key) // somebody went on from them
	if err != nil && !errors.Is(err, state.ErrUnknownThread) {
		return false, err
	}
	return slices.ContainsFunc(runs, func(r state.Run) bool {
		return r.Origin == n.Origin && r.Status == state.RunInterrupt
	}), nil
}
