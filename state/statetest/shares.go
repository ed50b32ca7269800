package statetest

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// shares are the sentences about what a principal's threads may take. None of them asks how much that is: a store counts as it likes.
var shares = []sentence{
	{"a run, a patch and a fork that would take a principal's threads beyond what they may are refused, and change nothing", func(w *world) {
		w.succeed(w.start("u1"), 1)
		before := w.snapshot(key)
		r := w.request(user("u2"))
		r.MaxStored = 1
		_, begin := w.store.Begin(w.Context(), r, w.lease())
		_, patch := w.store.PatchState(w.Context(), w.merge(`{"to":"Rome"}`, 1))
		_, fork := w.store.Fork(w.Context(), key, "u1", "f", 1)
		for call, err := range map[string]error{"Begin()": begin, "PatchState()": patch, "Fork()": fork} {
			if !errors.Is(err, state.ErrStored) {
				w.Errorf("%s = %v, want ErrStored", call, err)
			}
		}
		w.equal("the thread", w.snapshot(key), before)
		w.unknown(state.Key{Principal: "local", Agent: "travel", ID: "f"})
	}},
	{"a run that just fits begins, and one with a byte more does not", func(w *world) {
		stored, err := state.NewStoredMessage(user("u1"))
		if err != nil {
			w.Fatal(err)
		}
		for most, want := range map[int64]error{int64(len(stored.Raw)): nil, int64(len(stored.Raw)) - 1: state.ErrStored} {
			r := w.request(user("u1")) // the first of its principal's
			r.Key.Principal, r.MaxStored = "principal-"+w.id(), most
			if _, err := w.store.Begin(w.Context(), r, w.lease()); !errors.Is(err, want) {
				w.Errorf("Begin() with room for %d bytes = %v, want %v", most, err, want)
			}
		}
	}},
	{"deleting threads makes room", func(w *world) {
		begin := func(id, text string, most int64) error {
			r := w.request(agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent(text)})
			r.Key.ID, r.MaxStored = id, most
			b, err := w.store.Begin(w.Context(), r, w.lease())
			if err == nil {
				w.succeed(b.Lease, 1)
			}
			return err
		}
		const most = 100_000
		if err := begin(key.ID, strings.Repeat("x", most-1000), most); err != nil {
			w.Fatalf("Begin() of the first = %v", err)
		}
		if err := begin("second", strings.Repeat("x", most/2), most); !errors.Is(err, state.ErrStored) {
			w.Errorf("Begin() of the second = %v, want ErrStored", err)
		}
		w.delete()
		if err := begin("second", strings.Repeat("x", most/2), most); err != nil {
			w.Errorf("Begin() of the second after a deletion = %v", err)
		}
	}},
	{"an answer that was given before, and what is asked again, need no room", func(w *world) {
		l := w.start("u1")
		r := w.request(user("u1"))
		r.MaxStored = 1
		if _, err := w.store.Begin(w.Context(), r, w.lease()); err != nil {
			w.Errorf("Begin() beside a live run = %v", err)
		}
		w.succeed(l, 1)
		known := w.known("none")
		known.MaxStored = 1
		w.patched(known, state.PatchUnknown)
	}},
}

// merge is a merge patch of the thread.
func (w *world) merge(patch string, most int64) *state.PatchRequest {
	return &state.PatchRequest{Key: key, ID: w.id(), Patch: state.OutsidePatch{Merge: true, Body: json.RawMessage(patch)}, MaxStored: most}
}
