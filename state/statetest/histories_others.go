package statetest

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// note records an effect, renews a lease or releases it.
func (h *history) note() {
	t, x := h.running()
	var call func(s state.Store, i int) error
	name := "Once"
	switch h.int(0, 3, "kind") {
	case 0, 1:
		value := json.RawMessage(fmt.Sprintf(`{"n":%d}`, h.number))
		key := rapid.SampledFrom([]string{"k", "l"}).Draw(h.T, "key")
		call = func(s state.Store, i int) error { return s.Once(h.ctx, x.leases[i], key, value) }
	case 2:
		name = "Renew"
		call = func(s state.Store, i int) error { return s.Renew(h.ctx, x.leases[i], leaseTTL) }
	case 3:
		if x.released {
			h.Skip("a second release may fail or do nothing")
		}
		name, x.released = "Release", true
		call = func(s state.Store, i int) error { return s.Release(h.ctx, x.leases[i]) }
	}
	_ = h.does(fmt.Sprintf("%s %s(%s)", t, name, x.attempt), call)
}

// take takes a run that is overdue, or tries to.
func (h *history) take() {
	t := h.thread()
	if h.chance(80, "later") {
		h.clock.Move(leaseTTL)
	}
	_, _ = same(h, "Overdue()", func(s state.Store, _ int) (int, error) {
		keys, err := s.Overdue(h.ctx, 0)
		return len(keys), err
	})
	held := &holding{attempt: h.id("attempt"), leases: make([]*state.Lease, len(h.stores))}
	_, err := same(h, fmt.Sprintf("%s Take(%s)", t, held.attempt), func(s state.Store, i int) (*state.Begun, error) {
		b, err := s.Take(h.ctx, t.key, state.LeaseOptions{Attempt: held.attempt, TTL: leaseTTL})
		return held.take(b, i), err
	})
	h.hold(t, held, err)
}

// signal tells a live attempt something.
func (h *history) signal() {
	t := h.thread()
	if h.chance(30, "reader") {
		_, _ = same(h, t.String()+" NoteReader()", func(s state.Store, _ int) (string, error) {
			left, live, err := s.NoteReader(h.ctx, t.key, time.Minute)
			return fmt.Sprint(left, live), err
		})
		return
	}
	what := rapid.SampledFrom([]state.Signal{state.SignalStop, state.SignalUntie, state.SignalHungUp}).Draw(h.T,
		"signal")
	run := uint64(0)
	if n := len(t.leases); n > 0 && h.chance(30, "of a run") {
		run = t.leases[n-1].leases[0].Fence
	}
	_, _ = same(h, fmt.Sprintf("%s Signal(%d, %s)", t, run, what),
		func(s state.Store, _ int) (bool, error) { return s.Signal(h.ctx, t.key, run, what) })
}

// queue holds or leaves a place.
func (h *history) queue() {
	t := h.thread()
	ticket := h.id("ticket")
	if len(t.tickets) > 0 && h.chance(70, "known") {
		ticket = choose(h, t.tickets, "ticket")
	}
	if h.chance(30, "hold") {
		t.tickets = append(t.tickets, ticket)
		_ = h.does(fmt.Sprintf("%s Hold(%s)", t, ticket),
			func(s state.Store, _ int) error { return s.Hold(h.ctx, t.key, ticket, leaseTTL) })
		return
	}
	_ = h.does(fmt.Sprintf("%s Leave(%s)", t, ticket),
		func(s state.Store, _ int) error { return s.Leave(h.ctx, t.key, ticket) })
}

// patch patches the state from outside.
func (h *history) patch() {
	t := h.thread()
	r := &state.PatchRequest{Key: t.key, ID: h.id("patch")}
	if len(h.patches) > 0 && h.chance(20, "again") {
		r.ID, r.Known = choose(h, h.patches, "patch"), h.chance(50, "known")
	}
	h.patches = append(h.patches, r.ID)
	r.Patch = rapid.SampledFrom([]document.OutsidePatch{
		{Merge: true, Body: json.RawMessage(fmt.Sprintf(`{"a":%d}`, h.number))},
		{Merge: true, Body: json.RawMessage(`{"b":null}`)},
		{Body: json.RawMessage(`[{"op":"add","path":"/x","value":[1]}]`)},
		{Body: json.RawMessage(`[{"op":"test","path":"/x","value":[1.0]},{"op":"remove","path":"/x"}]`)},
		{Body: json.RawMessage(`[{"op":"remove","path":"/none"}]`)},
	}).Draw(h.T, "patch")
	if h.chance(20, "fingerprint") {
		r.Fingerprint = "f"
	}
	if thread, _, err := h.stores[0].Load(h.ctx, t.key); err == nil && h.chance(30, "match") {
		r.IfMatch = []string{thread.StateTag()}
	}
	_, _ = same(h, fmt.Sprintf("%s PatchState(%s)", t, encoded(r)),
		func(s state.Store, _ int) (state.PatchResult, error) {
			asked := *r
			return s.PatchState(h.ctx, &asked)
		})
}

// fork copies the beginning of a thread.
func (h *history) fork() {
	t := h.thread()
	if len(t.ids) == 0 {
		h.Skip("no message")
	}
	at, id := choose(h, t.ids, "message"), h.id("fork")
	if h.chance(10, "taken") {
		id = choose(h, h.threads, "other").key.ID
	}
	_, err := same(h, fmt.Sprintf("%s Fork(%s, %s)", t, at, id),
		func(s state.Store, _ int) (*state.Thread, error) { return s.Fork(h.ctx, t.key, at, id, 0) })
	if err == nil && len(h.threads) < 6 {
		h.threads = append(h.threads, &subject{key: state.Key{Principal: t.key.Principal, Agent: t.key.Agent, ID: id}})
	}
}

func (h *history) rename() {
	t, title := h.thread(), h.id("title ")
	_ = h.does(t.String()+" Rename()", func(s state.Store, _ int) error { return s.Rename(h.ctx, t.key, title) })
}

func (h *history) delete() {
	t := h.thread()
	if !h.chance(30, "really") {
		h.Skip("not now")
	}
	err := h.does(t.String()+" Delete()", func(s state.Store, _ int) error { return s.Delete(h.ctx, t.key) })
	if h.chance(20, "purge") {
		_ = h.does(t.String()+" Purge()", func(s state.Store, _ int) error { return s.Purge(h.ctx, t.key) })
	}
	if err == nil && len(t.frames) > 0 && len(t.leases) > 0 {
		h.readRest(t)
	}
}

// readRest reads the rest of the log of a thread that was just removed. A store may refuse readers of earlier attempts.
func (h *history) readRest(t *subject) {
	after := t.frames[len(t.frames)-1]
	if newest := t.leases[len(t.leases)-1]; after.Fence != newest.leases[0].Fence {
		return
	}
	_, _ = same(h, fmt.Sprintf("%s Tail(%s)", t, after), func(s state.Store, _ int) ([]state.Frame, error) {
		return h.tail(s, t.key, after, state.FrameID{Fence: math.MaxUint64})
	})
}

// approve remembers or revokes approvals of a thread or of the principal.
func (h *history) approve() {
	key := h.thread().key
	scope := state.ApprovalThread
	if h.chance(40, "principal") {
		key, scope = state.ApprovalsKey("local"), state.ApprovalPrincipal
	}
	id := fmt.Sprintf("approval%d", h.int(0, 3, "approval"))
	if h.chance(30, "revoke") {
		_, _ = same(h, fmt.Sprintf("%s Revoke(%s)", key.ID, id),
			func(s state.Store, _ int) (state.Approval, error) { return s.Revoke(h.ctx, key, id) })
		return
	}
	a := state.Approval{ID: id, Scope: scope,
		ApprovalSubject: state.ApprovalSubject{Agent: "travel", Tool: "book", Hash: "h"}}
	_ = h.does(fmt.Sprintf("%s Remember(%s)", key.ID, id),
		func(s state.Store, _ int) error { return s.Remember(h.ctx, key, a) })
}

// move moves the clock, and lets each store remove expired data.
func (h *history) move() {
	by := rapid.SampledFrom([]time.Duration{
		time.Millisecond, leaseTTL, state.DeadLogTTL, LogTTL, day, ThreadTTL, state.ApprovalTTL,
	}).Draw(h.T, "by")
	h.Logf("call %d: the clock moves by %s", h.number, by)
	h.clock.Move(by)
	_, _ = same(h, "Overdue()", func(s state.Store, _ int) (int, error) {
		keys, err := s.Overdue(h.ctx, 0)
		return len(keys), err
	})
}
