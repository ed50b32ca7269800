package statetest

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/store"
)

var reads = []promise{
	{"a thread that was never made has revision 0, its key and no tag", func(w *backendWorld) {
		w.nothing(key)
		w.works("Ping()", w.b.Ping(w.Context()))
	}},
	{"a record has the tag and the birth that the thread was written with, and says whether the log has a frame",
		func(w *backendWorld) {
			begins := w.beginning(w.read(key, store.ReadOptions{}), "u1")
			w.write(begins)
			l := leaseOf(begins)
			commits := w.commit(l, state.Commit{Frames: frames(l, 1, 1)})
			w.write(commits)
			r := w.read(key, store.ReadOptions{Frame: state.FrameID{Fence: l.Fence, Seq: 1}})
			w.equal("tag and birth", []string{r.Tag, r.Born}, []string{commits.Tag, begins.Born})
			w.equal("time", r.Now.Equal(w.clock.Now()), true)
			w.equal("frame 1, frame 2", []bool{r.HasFrame,
				w.read(key, store.ReadOptions{Frame: state.FrameID{Fence: l.Fence, Seq: 2}}).HasFrame},
				[]bool{true, false})
			w.equal("last frame", r.Thread.Last, state.FrameID{Fence: l.Fence, Seq: 1})
			again := w.read(key, store.ReadOptions{Have: r})
			w.equal("what is read again", []any{again.Tag, again.Born, again.Thread}, []any{r.Tag, r.Born, r.Thread})
		}},
	{"what is looked up is what the thread held, or a conflict if somebody has written it since",
		func(w *backendWorld) {
			l := w.begin(key, "u1")
			w.write(w.commit(l, state.Commit{State: object(1), Messages: []agui.Message{assistant("a1")}}))
			for what, look := range map[string]func(state.Facts) any{
				"a message":        func(f state.Facts) any { _, ok := f.Known("a1"); return ok },
				"the state":        func(f state.Facts) any { return f.State(-1) },
				"the past":         func(f state.Facts) any { return len(f.Past().Marks) },
				"the earlier runs": func(f state.Facts) any { return len(f.Runs()) },
				"the conversation": func(f state.Facts) any {
					ids := ""
					for m := range f.Messages() {
						ids += m.ID + " "
					}
					return strings.Fields(ids)
				},
			} {
				want := map[string]any{
					"a message": true, "the state": object(1), "the past": 0, "the earlier runs": 0,
					"the conversation": []string{"a1", "u1"},
				}[what]
				r := w.read(key, store.ReadOptions{})
				w.equal(what, look(r.Facts), want)
				w.works("Err()", r.Facts.Err())
				r = w.read(key, store.ReadOptions{})
				w.write(w.renaming(w.read(key, store.ReadOptions{}), "title "+w.id()))
				look(r.Facts)
				w.fails("Err() after a look at "+what+" of a thread that was written since", r.Facts.Err(),
					store.ErrConflict)
			}
		}},
}

var writes = []promise{
	{"a write on a tag that the thread does not have any more is a conflict and changes nothing",
		func(w *backendWorld) {
			w.idle(key, "u1")
			first, second := w.read(key, store.ReadOptions{}), w.read(key, store.ReadOptions{})
			w.write(w.renaming(first, "first"))
			_, err := w.b.Write(w.Context(), w.renaming(second, "second"))
			w.fails("Write()", err, store.ErrConflict)
			w.equal("title", w.read(key, store.ReadOptions{}).Thread.Title, "first")
		}},
	{"a write of the tag that the thread has is done, and not done again", func(w *backendWorld) {
		begins := w.beginning(w.read(key, store.ReadOptions{}), "u1")
		w.write(begins)
		w.write(begins)
		l := leaseOf(begins)
		commits := w.commit(l,
			state.Commit{State: object(1), Messages: []agui.Message{assistant("a1")}, Frames: frames(l, 1, 2)})
		w.write(commits)
		w.equal("the newest frame after", w.write(commits).Last, state.FrameID{Fence: l.Fence, Seq: 2})
		r := w.read(key, store.ReadOptions{})
		_, ids := w.log(key, state.FrameID{})
		list, err := w.messages(key, -1)
		w.works("Messages()", err)
		w.equal("revision, frames, messages", []any{r.Thread.Rev, len(ids), list}, []any{2, 2, []string{"u1", "a1"}})
	}},
	{"a write of a lease that does not hold the thread is refused and changes nothing", func(w *backendWorld) {
		l := w.begin(key, "u1")
		for _, other := range []state.Lease{
			{Key: key, Attempt: "another", Fence: l.Fence}, {Key: key, Attempt: l.Attempt, Fence: l.Fence - 1},
		} {
			write := w.commit(l, state.Commit{Messages: []agui.Message{assistant("a1")}})
			write.Lease = &other
			_, err := w.b.Write(w.Context(), write)
			w.fails("Write()", err, state.ErrLeaseLost)
		}
		late := w.commit(l, end(l))
		w.write(w.commit(l, end(l)))
		_, err := w.b.Write(w.Context(), late)
		w.fails("Write() after the run", err, state.ErrLeaseLost)
		w.equal("revision", w.read(key, store.ReadOptions{}).Thread.Rev, 2)
	}},
	{"a write behind a frame that the log does not have finds the gap", func(w *backendWorld) {
		l := w.begin(key, "u1")
		w.append(l, 1, 2)
		_, err := w.b.Write(w.Context(),
			w.commit(l, state.Commit{After: state.FrameID{Fence: l.Fence, Seq: 3}, Frames: frames(l, 4, 1)}))
		w.fails("Write()", err, state.ErrGap)
		written := w.write(w.commit(l,
			state.Commit{After: state.FrameID{Fence: l.Fence, Seq: 2}, Frames: frames(l, 2, 3)}))
		w.equal("newest before and after", []state.FrameID{written.Before, written.Last},
			[]state.FrameID{{Fence: l.Fence, Seq: 2}, {Fence: l.Fence, Seq: 4}})
		_, ids := w.log(key, state.FrameID{})
		w.equal("frames", ids, idsFrom(l, 1, 4))
	}},
	{"the two newest marks are kept, however large they are", func(w *backendWorld) {
		l := w.begin(key, "u1")
		large := json.RawMessage(`"` + strings.Repeat("x", document.MaxPast) + `"`)
		for i := range 4 {
			write := w.commit(l, state.Commit{State: object(i)})
			write.Transition.Mark = &document.Mark{
				Name: strconv.Itoa(i), Undo: agui.Patch{{Op: "add", Path: "/n", Value: large}},
			}
			w.write(write)
		}
		var names []string
		for _, mark := range w.read(key, store.ReadOptions{}).Facts.Past().Marks {
			names = append(names, mark.Name)
		}
		w.equal("marks", names, []string{"2", "3"})
	}},
	{"of two threads that are made under one key one is a conflict", func(w *backendWorld) {
		first, second := w.beginning(w.read(key, store.ReadOptions{}), "u1"),
			w.beginning(w.read(key, store.ReadOptions{}), "u2")
		w.write(first)
		_, err := w.b.Write(w.Context(), second)
		w.fails("Write()", err, store.ErrConflict)
		list, err := w.messages(key, -1)
		w.works("Messages()", err)
		w.equal("messages", list, []string{"u1"})
	}},
	{"a fence that a thread of the key has had is a conflict, also once that thread is gone", func(w *backendWorld) {
		late := w.beginning(w.read(key, store.ReadOptions{}), "u1")
		l := w.idle(key, "u1")
		_, err := w.b.Delete(w.Context(), key)
		w.works("Delete()", err)
		_, err = w.b.Write(w.Context(), late)
		w.fails("Write() of an old fence", err, store.ErrConflict)
		if again := w.begin(key, "u1"); again.Fence <= l.Fence {
			w.Fatalf("fence %d follows %d", again.Fence, l.Fence)
		}
	}},
	{"a take of a run that was renewed is refused, and of one whose effect it does not know a conflict",
		func(w *backendWorld) {
			l := w.begin(key, "u1")
			w.clock.Move(leaseTTL)
			take := func() *store.Write {
				base := w.read(key, store.ReadOptions{Take: true})
				claim := state.Claim{Attempt: "taker-" + w.id(), TTL: leaseTTL,
					Fence: state.NextFence(base.Thread, base.Now)}
				return w.of(base,
					&store.Write{Transition: state.PlanTake(base.Thread, claim, base.Now), Begins: true, Takes: true})
			}
			early := take()
			w.update(key, store.AttemptUpdate{Op: store.AttemptRecord, Lease: l, Effect: "e1", Result: object(1)})
			_, err := w.b.Write(w.Context(), early)
			w.fails("Write() beside an effect", err, store.ErrConflict)
			beside := take()
			w.update(key, store.AttemptUpdate{Op: store.AttemptRenew, Lease: l, TTL: leaseTTL})
			_, err = w.b.Write(w.Context(), beside)
			w.fails("Write() beside a renewal", err, state.ErrLeaseLost)
			w.clock.Move(leaseTTL)
			w.write(take())
			r := w.read(key, store.ReadOptions{})
			w.equal("effects", r.Thread.Live.Memo, map[string]json.RawMessage{"e1": object(1)})
			w.equal("the former holds it", r.Thread.HeldBy(l), false)
		}},
	{"a begin that does not know who waits is a conflict", func(w *backendWorld) {
		w.idle(key, "u1")
		late := w.beginning(w.read(key, store.ReadOptions{}), "u2")
		w.queue(key, store.QueueUpdate{Op: store.QueueHold, Ticket: "t1", TTL: leaseTTL})
		late.Transition.Ticket = "t0" // it lets go of a place
		late.Transition.Thread.Queue = []state.Ticket{}
		_, err := w.b.Write(w.Context(), late)
		w.fails("Write()", err, store.ErrConflict)
	}},
	{"what is not the transition's to say stays as it is: who waits, who reads, what the attempt was told",
		func(w *backendWorld) {
			l := w.begin(key, "u1")
			late := w.commit(l, state.Commit{Messages: []agui.Message{assistant("a1")}})
			w.queue(key, store.QueueUpdate{Op: store.QueueHold, Ticket: "t1", TTL: leaseTTL})
			w.update(key, store.AttemptUpdate{Op: store.AttemptSignal, Signal: state.SignalStop})
			w.update(key, store.AttemptUpdate{Op: store.AttemptReader, TTL: leaseTTL})
			w.update(key, store.AttemptUpdate{Op: store.AttemptRenew, Lease: l, TTL: 2 * leaseTTL})
			w.write(late)
			t := w.read(key, store.ReadOptions{}).Thread
			w.equal("stopped", t.Live.Stopped, true)
			w.equal("tickets", ticketsOf(t), []string{"t1"})
			w.equal("read until, leased until", []bool{t.Live.ReadUntil.Equal(w.clock.Now().Add(leaseTTL)),
				t.Live.Until.Equal(w.clock.Now().Add(2 * leaseTTL))}, []bool{true, true})
		}},
	{"a commit drops the effects that its attempt has recorded", func(w *backendWorld) {
		l := w.begin(key, "u1")
		w.update(key, store.AttemptUpdate{Op: store.AttemptRecord, Lease: l, Effect: "e1", Result: object(1)})
		w.equal("effects", w.read(key, store.ReadOptions{}).Thread.Live.Memo,
			map[string]json.RawMessage{"e1": object(1)})
		w.write(w.commit(l, state.Commit{Messages: []agui.Message{assistant("a1")}}))
		w.equal("effects", len(w.read(key, store.ReadOptions{}).Thread.Live.Memo), 0)
	}},
}

// storedBytes are the promises about the stored bytes of a principal. All are read before the first thread is made: a
// backend may begin to count then.
var storedBytes = []promise{
	{"what is counted of a principal grows with what is written, and goes back with what is trimmed, deleted or " +
		"expired", func(w *backendWorld) {
		w.has("nothing is counted of an empty store", w.stored("local")+w.stored("eve") == 0, true)
		l := w.begin(first, "first")
		begun := w.stored("local")
		w.has("a thread counts", begun > 0, true)
		large := agui.Message{ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("x", 20000))}
		w.append(l, 1, 200)
		w.write(w.commit(l, state.Commit{
			Messages: []agui.Message{large}, Frames: frames(l, 201, 1), After: state.FrameID{Fence: l.Fence, Seq: 200},
			End: &state.End{Status: state.RunSuccess},
		}))
		ended := w.stored("local")
		w.has("a message counts", ended > begun+10000, true)
		w.withoutLogs()
		trimmed := w.stored("local")
		w.has("less is counted without the log", trimmed < ended && trimmed > 10000, true)

		w.idle(state.Key{Principal: "eve", Agent: "travel", ID: "first"}, "other")
		w.has("another's thread counts for the other", w.stored("local") == trimmed && w.stored("eve") > 0, true)
		w.idle(second, "second")
		w.has("a second thread counts", w.stored("local") > trimmed, true)
		_, err := w.b.Delete(w.Context(), second)
		w.works("Delete()", err)
		w.has("a thread that was deleted does not count", w.stored("local") == trimmed, true)
		w.clock.Move(ThreadTTL + time.Second)
		w.overdue(1)
		w.has("a thread that has expired does not count", w.stored("local")+w.stored("eve") == 0, true)
	}},
}
