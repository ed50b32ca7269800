package statetest

import (
	"errors"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// approval is one of a tool of the world's agent.
func approval(id, tool string, scope state.ApprovalScope) state.Approval {
	return state.Approval{ID: id, Scope: scope,
		ApprovalSubject: state.ApprovalSubject{Agent: key.Agent, Path: "desk", Tool: tool, Hash: "h-" + tool}}
}

func (w *world) remember(key state.Key, a state.Approval) {
	w.Helper()
	if err := w.store.Remember(w.Context(), key, a); err != nil {
		w.Fatalf("Remember(%s) = %v", a.ID, err)
	}
}

// remembered returns the ids of the approvals under a key.
func (w *world) remembered(key state.Key) (ids []string) {
	w.Helper()
	list, err := w.store.Approvals(w.Context(), key)
	if err != nil {
		w.Fatalf("Approvals() = %v", err)
	}
	for _, a := range list {
		ids = append(ids, a.ID)
	}
	return ids
}

var approvals = []sentence{
	{"an approval is remembered until it is revoked, also while a run is live, and is never brought back",
		func(w *world) {
			l := w.start("u1")
			mine := state.ApprovalsKey(key.Principal)
			w.equal("at first", [][]string{w.remembered(key), w.remembered(mine)}, [][]string{nil, nil})
			for k, scope := range map[state.Key]state.ApprovalScope{key: state.ApprovalThread,
				mine: state.ApprovalPrincipal} {
				a := approval("a1", "refund", scope)
				w.remember(k, a)
				w.remember(k, a)
				w.remember(k, approval("a2", "mail", scope))
				w.equal("remembered", w.remembered(k), []string{"a1", "a2"})
				list, err := w.store.Approvals(w.Context(), k)
				if err != nil {
					w.Fatalf("Approvals() = %v", err)
				}
				a.CreatedAt, a.After, a.ExpiresAt = list[0].CreatedAt, list[0].After, list[0].ExpiresAt
				w.equal("the first", list[0], a)
				w.equal("made now", list[0].CreatedAt.Equal(w.clock.Now()), true)
				got, err := w.store.Revoke(w.Context(), k, "a1")
				w.equal("Revoke()", []any{got.ID, err}, []any{"a1", nil})
				if _, err := w.store.Revoke(w.Context(), k, "a1"); !errors.Is(err, state.ErrUnknownApproval) {
					w.Fatalf("Revoke() again = %v", err)
				}
				w.remember(k, a)
				w.equal("revoked", w.remembered(k), []string{"a2"})
			}
			w.succeed(l, 1)
			w.equal("after the run", [][]string{w.remembered(key), w.remembered(mine)}, [][]string{{"a2"}, {"a2"}})
		}},
	{"approvals are of one thread, or of one principal", func(w *world) {
		w.commit(w.start("u1"),
			state.Commit{Messages: []agui.Message{assistant("a1")}, End: &state.End{Status: state.RunSuccess}})
		w.remember(key, approval("a1", "refund", state.ApprovalThread))
		w.remember(state.ApprovalsKey(key.Principal), approval("a2", "refund", state.ApprovalPrincipal))
		fork, err := w.store.Fork(w.Context(), key, "a1", "f", 0)
		if err != nil {
			w.Fatalf("Fork() = %v", err)
		}
		w.equal("the fork's", w.remembered(fork.Key), []string(nil))
		w.equal("another's", w.remembered(state.ApprovalsKey("eve")), []string(nil))
		other := state.Key{Principal: "eve", Agent: key.Agent, ID: key.ID}
		if _, err := w.store.Approvals(w.Context(), other); !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("Approvals() of no thread = %v", err)
		}
		if err := w.store.Remember(w.Context(), other, approval("a3", "refund", state.ApprovalThread)); !errors.Is(err,
			state.ErrUnknownThread) {
			w.Fatalf("Remember() in no thread = %v", err)
		}
		if _, err := w.store.Revoke(w.Context(), state.ApprovalsKey("eve"), "a2"); !errors.Is(err,
			state.ErrUnknownApproval) {
			w.Fatalf("Revoke() of another's = %v", err)
		}
		page, err := w.store.List(w.Context(), state.Query{Principal: key.Principal})
		w.equal("List()", []any{len(page.Threads), err}, []any{2, nil})
		w.delete()
		w.start("u9")
		w.equal("of a new thread of that name", w.remembered(key), []string(nil))
		mine := state.ApprovalsKey(key.Principal)
		if err := w.store.Delete(w.Context(), mine); err != nil {
			w.Fatalf("Delete() = %v", err)
		}
		w.equal("deleted", w.remembered(mine), []string(nil))
		w.remember(mine, approval("a4", "refund", state.ApprovalPrincipal))
		w.equal("given again", w.remembered(mine), []string{"a4"})
	}},
	{"approvals leave with the turn in which they were given, and expire no later than their thread", func(w *world) {
		turn := func(i string) {
			w.Helper()
			w.asks(w.start("u"+i), assistant("a"+i), "int"+i)
			b := w.means(w.resume(resolved("int"+i, i)), state.Resume, 1)
			w.remember(key, approval("x"+i, "refund", state.ApprovalThread))
			w.succeed(b.Lease, 1, assistant("b"+i))
		}
		turn("1")
		turn("2")
		w.equal("at first", w.remembered(key), []string{"x1", "x2"})
		list, err := w.store.Approvals(w.Context(), key)
		if err != nil || list[0].ExpiresAt.IsZero() ||
			list[0].ExpiresAt.After(list[0].CreatedAt.Add(state.ApprovalTTL)) {
			w.Errorf("Approvals() = %+v, %v", list, err)
		}
		r := w.request(user("u1"), assistant("a1"), assistant("b1"), user("v2"))
		r.Edit = true
		w.succeed(w.begin(r).Lease, 1, assistant("c2"))
		w.equal("after an edit of the second message", w.remembered(key), []string{"x1"})
		r = w.request(user("u1"))
		r.Regenerate = true
		w.succeed(w.means(r, state.Repeat, 13).Lease, 1, assistant("d1"))
		w.equal("after the first turn ran again", w.remembered(key), []string(nil))
	}},
	{"approvals expire, and of too many the oldest are forgotten", func(w *world) {
		mine := state.ApprovalsKey(key.Principal)
		for n := range state.MaxApprovals + 2 {
			w.remember(mine, approval("a"+strconv.Itoa(n), "refund", state.ApprovalPrincipal))
		}
		ids := w.remembered(mine)
		w.equal("number", len(ids), state.MaxApprovals)
		w.equal("oldest", ids[0], "a2")
		w.clock.Move(2 * ThreadTTL)
		w.equal("unused for as long as threads are kept", w.remembered(mine), []string(nil))
	}},
}
