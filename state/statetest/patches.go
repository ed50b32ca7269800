package statetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// patches is what becomes of changes of a thread's state from outside of its runs.
var patches = []sentence{
	{"a patch of a thread where nothing runs is made at once, and who reads the log is told", func(w *world) {
		last := w.succeed(w.start("u1"), 1, assistant("a1")).Last
		ctx, cancel := context.WithTimeout(w.Context(), patience)
		defer cancel()
		told := make(chan []state.Frame, 1)
		go func() {
			var frames []state.Frame
			for batch, err := range w.store.Tail(ctx, key, last) {
				if frames = append(frames, batch...); err != nil || len(frames) >= 3 {
					break
				}
			}
			told <- frames
		}()
		w.patched(w.patch("p1", `[{"op":"add","path":"/paid","value":true}]`), state.PatchApplied)
		w.equal("state", w.state(-1), json.RawMessage(`{"paid":true}`))
		frames := <-told
		if len(frames) != 3 || frames[1].Type != "STATE_DELTA" || frames[2].ID != w.load().Last ||
			!last.Less(frames[0].ID) {
			w.Fatalf("the log goes on with %+v, and ends with %s", frames, w.load().Last)
		}
		w.holds(frames[1].ID, true)
		w.patched(w.patch("p1", `[{"op":"add","path":"/paid","value":true}]`), state.PatchApplied)
		w.equal("the end of the log, when it is asked again", w.load().Last, frames[2].ID)
		l := w.start("u2")
		if l.Fence <= frames[2].ID.Fence {
			w.Fatalf("a run with fence %d after frame %s", l.Fence, frames[2].ID)
		}
		w.equal("the state that the next run begins with", w.state(w.load().Rev), json.RawMessage(`{"paid":true}`))
	}},
	{"a patch is refused when the state is not the one it is made for", func(w *world) {
		w.succeed(w.start("u1"), 1, assistant("a1"))
		tag := w.load().StateTag()
		first := &state.PatchRequest{Key: key, ID: "p1", IfMatch: []string{tag},
			Patch: document.OutsidePatch{Merge: true, Body: json.RawMessage(`{"n":1}`)}}
		second := *first
		second.ID = "p2"
		w.patched(first, state.PatchApplied)
		r := w.patched(&second, state.PatchRefused)
		w.equal("code", r.Code, "state_changed")
		w.equal("state", w.state(-1), json.RawMessage(`{"n":1}`))
	}},
	{"a patch of a live run waits for a commit of its owner, through a takeover", func(w *world) {
		l := w.start("u1")
		w.append(l, 1, 2)
		w.patched(w.patch("p1", `[{"op":"add","path":"/paid","value":true}]`), state.PatchPending)
		t := w.commit(l, state.Commit{State: json.RawMessage(`{"n":1}`), Checkpoint: json.RawMessage(`{}`)})
		w.equal("the patches that the owner is told of", len(t.Pending), 1)
		w.equal("state", w.state(-1), json.RawMessage(`{"n":1}`))
		next := w.take()
		t = w.commit(next, state.Commit{
			State: json.RawMessage(`{"n":1,"paid":true}`), Checkpoint: json.RawMessage(`{}`),
			Patched: []state.PatchResult{{ID: "p1", Status: state.PatchApplied}},
		})
		w.equal("the patches that wait", len(t.Pending), 0)
		r := w.patched(w.known("p1"), state.PatchApplied)
		w.equal("tag", r.Tag, w.load().StateTag())
	}},
	{"a patch that a run left waiting is made before anything else", func(w *world) {
		l := w.start("u1")
		w.patched(w.patch("p1", `[{"op":"add","path":"/paid","value":true}]`), state.PatchPending)
		w.commit(l, state.Commit{State: json.RawMessage(`{"n":1}`), Frames: frames(l, 1, 1),
			End: &state.End{Status: state.RunCancelled}})
		w.start("u2")
		w.equal("state", w.state(-1), json.RawMessage(`{"n":1,"paid":true}`))
		w.patched(w.known("p1"), state.PatchApplied)
	}},
	{"who asks what became of a patch makes it once nothing runs", func(w *world) {
		l := w.start("u1")
		w.patched(w.patch("p1", `[{"op":"add","path":"/paid","value":true}]`), state.PatchPending)
		w.patched(w.known("p1"), state.PatchPending)
		w.succeed(l, 1, assistant("a1"))
		w.patched(w.known("p1"), state.PatchApplied)
		w.equal("state", w.state(-1), json.RawMessage(`{"paid":true}`))
		w.patched(w.known("p2"), state.PatchUnknown)
	}},
	{"patches that come at once are each made once", func(w *world) {
		w.succeed(w.start("u1"), 1, assistant("a1"))
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				r := w.patch(fmt.Sprint("p", i), `[{"op":"add","path":"/x`+fmt.Sprint(i)+`","value":1}]`)
				if result, err := w.store.PatchState(w.Context(), r); err != nil ||
					result.Status != state.PatchApplied {
					w.Errorf("PatchState() = %+v, %v", result, err)
				}
			})
		}
		all.Wait()
		w.equal("state", w.state(-1), json.RawMessage(`{"x0":1,"x1":1,"x2":1,"x3":1,"x4":1,"x5":1,"x6":1,"x7":1}`))
	}},
	{"a patch that comes again with its fingerprint is applied once, also where it changed nothing", func(w *world) {
		w.succeed(w.start("u1"), 1, assistant("a1"))
		r := w.patch("p1", `[{"op":"add","path":"/list","value":[]}]`)
		r.Fingerprint = "one"
		w.patched(r, state.PatchApplied)
		same := w.patch("p2", `[{"op":"add","path":"/list","value":[]}]`)
		same.Fingerprint = "two"
		w.patched(same, state.PatchApplied)
		w.patched(w.patch("p3", `[{"op":"add","path":"/list/-","value":1}]`), state.PatchApplied)
		w.patched(r, state.PatchApplied)
		w.patched(same, state.PatchApplied)
		w.equal("state", w.state(-1), json.RawMessage(`{"list":[1]}`))
		w.start("u2")
		w.patched(same, state.PatchApplied)
		waiting := w.patch("p4", `[{"op":"add","path":"/list/-","value":2}]`)
		waiting.Fingerprint = "four"
		w.patched(waiting, state.PatchPending)
		w.patched(waiting, state.PatchPending)
		w.equal("the patches that wait", len(w.load().Pending), 1)
	}},
	{"a patch with the name of another and another fingerprint is refused", func(w *world) {
		w.succeed(w.start("u1"), 1, assistant("a1"))
		r := w.patch("p1", `[{"op":"add","path":"/n","value":1}]`)
		r.Fingerprint = "one"
		w.patched(r, state.PatchApplied)
		other := w.patch("p1", `[{"op":"add","path":"/n","value":2}]`)
		other.Fingerprint = "two"
		w.equal("code", w.patched(other, state.PatchRefused).Code, "idempotency_key_reused")
		l := w.start("u2")
		waiting := w.patch("p2", `[{"op":"add","path":"/m","value":1}]`)
		waiting.Fingerprint = "three"
		w.patched(waiting, state.PatchPending)
		other.ID = "p2"
		w.equal("code of one that waits", w.patched(other, state.PatchRefused).Code, "idempotency_key_reused")
		w.succeed(l, 1, assistant("a2"))
		w.patched(waiting, state.PatchApplied)
		w.equal("state", w.state(-1), json.RawMessage(`{"m":1,"n":1}`))
	}},
	{"there is nothing to patch where there is no thread", func(w *world) {
		if r, err := w.store.PatchState(w.Context(), w.patch("p1", `[]`)); !errors.Is(err, state.ErrUnknownThread) {
			w.Fatalf("PatchState() = %+v, %v", r, err)
		}
	}},
}

func (w *world) patch(id, ops string) *state.PatchRequest {
	return &state.PatchRequest{Key: key, ID: id, Patch: document.OutsidePatch{Body: json.RawMessage(ops)}}
}

// known asks what became of a patch.
func (w *world) known(id string) *state.PatchRequest {
	return &state.PatchRequest{Key: key, ID: id, Known: true}
}

// patched asks the store for r and holds it to what becomes of it.
func (w *world) patched(r *state.PatchRequest, want state.PatchStatus) state.PatchResult {
	w.Helper()
	result, err := w.store.PatchState(w.Context(), r)
	if err != nil || result.Status != want {
		w.Fatalf("PatchState() = %+v, %v, want it %s", result, err, want)
	}
	return result
}
