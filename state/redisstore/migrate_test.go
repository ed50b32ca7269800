package redisstore_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// moving starts a run on a cluster and marks the slot of its thread as moving to another node.
func moving(t *testing.T) (stores []state.Store, th *thread, l *state.Lease, slot *redistest.Slot) {
	t.Helper()
	cluster := redistest.StartCluster(t)
	stores = replicas(t, cluster.URL(), 2)
	th = newThread(t)
	l = th.begin(stores[0], time.Hour)
	for _, node := range cluster.Nodes {
		for i := node.Client().Scan(t.Context(), 0, "*{*", 1000).Iterator(); i.Next(t.Context()); {
			return stores, th, l, cluster.Migrate(t, i.Val())
		}
	}
	t.Fatal("the thread has no keys")
	return nil, nil, nil, nil
}

// TestMarkedSlot begins to reshard a cluster: the keys of a thread are all where they were, and everything that can be
// done with it works.
func TestMarkedSlot(t *testing.T) {
	t.Parallel()
	stores, th, l, slot := moving(t)
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s = %v", what, err)
		}
	}
	must("Append()", stores[0].Append(ctx, l, behind(l, 0), frames(l, 1, 3)))
	if t.Failed() {
		return
	}
	ids, _ := th.tail(stores[1], state.FrameID{}, 6)
	must("Once()", stores[0].Once(ctx, l, "k", json.RawMessage(`1`)))
	must("Renew()", stores[0].Renew(ctx, l, time.Hour))
	_, _, err := stores[1].Load(ctx, th.key)
	must("Load()", err)
	_, err = stores[1].Messages(ctx, th.key, -1)
	must("Messages()", err)
	_, err = stores[1].Holds(ctx, th.key, behind(l, 1))
	must("Holds()", err)
	_, err = stores[1].Signal(ctx, th.key, 0, state.SignalUntie)
	must("Signal()", err)
	commit := end(l, 4, "m1")
	commit.End = nil
	_, err = stores[0].Commit(ctx, l, commit)
	must("Commit()", err)
	must("Release()", stores[0].Release(ctx, l))
	taken, err := stores[1].Take(ctx, th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	must("Take()", err)
	if t.Failed() {
		return
	}
	l = taken.Lease
	must("Once()", stores[1].Once(ctx, l, "k2", json.RawMessage(`1`)))
	ask := end(l, 1, "m2")
	ask.Checkpoint = json.RawMessage(`{}`)
	ask.Tokens = []state.Token{{Interrupt: agui.Interrupt{ID: "q"}, Status: state.TokenOpen}}
	ask.End.Status = state.RunInterrupt
	_, err = stores[1].Commit(ctx, l, ask)
	must("Commit() of a question", err)
	must("Rename()", stores[0].Rename(ctx, th.key, "title"))
	answer := th.request()
	answer.Messages, answer.Answers = nil, []state.Answer{{ID: "q", Status: agui.ResumeResolved, Payload: json.RawMessage(`1`)}}
	b, err := stores[0].Begin(ctx, answer, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	must("Begin() of an answer", err)
	if t.Failed() {
		return
	}
	_, err = stores[0].Commit(ctx, b.Lease, end(b.Lease, 1))
	must("Commit() of the end", err)
	again := th.request()
	again.Messages, again.Edit = append([]agui.Message{{ID: "m1"}}, again.Messages...), true
	b, err = stores[0].Begin(ctx, again, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	must("Begin() of an edit", err)
	th.ordered(ids(), 6)
	must("Delete()", stores[1].Delete(ctx, th.key))
	slot.Finish(t)
	if _, err := stores[0].Commit(ctx, b.Lease, end(b.Lease, 1)); !errors.Is(err, state.ErrLeaseLost) {
		t.Errorf("Commit() after Delete() = %v, want ErrLeaseLost", err)
	}
}

// TestMovingSlot moves the keys of a thread to another node, one by one, under its live run: what cannot be written
// meanwhile is not written in part, and can be afterwards.
func TestMovingSlot(t *testing.T) {
	t.Parallel()
	stores, th, l, slot := moving(t)
	ctx := t.Context()
	th.append(stores[0], l, 1, 1)
	seq := 2
	for left := 1; left > 0; {
		left = slot.Move(t, 1)
		if left == 0 {
			break
		}
		c := end(l, seq, "m"+rand.Text())
		c.End = nil
		if _, err := stores[0].Commit(ctx, l, c); err == nil {
			seq++
		} else if errors.Is(err, state.ErrLeaseLost) || errors.Is(err, state.ErrGap) {
			t.Fatalf("Commit() with %d keys left = %v", left, err)
		}
	}
	slot.Finish(t)
	before := len(th.messages(stores[1]))
	if want := seq - 1; before != want {
		t.Errorf("%d messages after %d commits", before, seq-2)
	}
	th.succeed(stores[0], l, seq, "last")
	ids, _ := th.tail(stores[1], state.FrameID{}, seq)
	th.ordered(ids(), seq)
	if got := th.messages(stores[1]); len(got) != before+1 {
		t.Errorf("messages = %v, want %d", got, before+1)
	}
	th.succeed(stores[1], th.begin(stores[1], time.Hour), 1)
}
