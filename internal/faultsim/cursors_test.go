package faultsim

import (
	"math"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// A growth is the input of the store's call that appends frames to a log.
type growth struct{ frames []state.Frame }

// A reading is the input of a client's call that reads on from a cursor; the zero cursor is an unknown one.
type reading struct {
	after state.FrameID
	found state.FrameID // the next frame; zero: the thread is idle, and the log ends at the cursor
	posts bool          // the reader has posted the run, so it has the messages that open it
}

// A place is the input of a call by numbers of frames.
type place struct {
	from, to int  // the frames that are appended, or the frame that is found in to
	grows    bool // frames are appended
	ends     bool // the log ends with the frame
}

// never is the number of a frame that the log does not have.
const never = math.MaxInt

// logs is the sequential specification of an append-only log: its state is the number of frames.
var logs = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, _ any) (bool, any) {
		size, p := state.(int), input.(place)
		switch {
		case p.grows && p.to > size:
			return p.from == size+1, p.to
		case p.grows:
			return true, size // they were appended before
		case p.ends:
			return p.to == size, size
		}
		return p.to <= size, size
	},
}

// wrote records what a transition of the store did to a thread.
func (w *world) wrote(began int64, write *store.Write) {
	w.mu.Lock()
	again := w.tags[write.Tag]
	w.tags[write.Tag] = true
	w.mu.Unlock()
	if again {
		return // the store repeats a write that lost its answer
	}
	w.asked(began, write.Transition.Tokens)
	w.grew(began, write.Transition.Thread.Key, write.Transition.Frames)
}

// grew records that frames were appended.
func (w *world) grew(began int64, key state.Key, frames []state.Frame) {
	if len(frames) > 0 {
		w.logs.add(key.ID, 1, began, growth{slices.Clone(frames)}, nil)
	}
}

// checkLogs judges the histories of all logs up to the moment when the store loses changes: it is no append-only log
// then.
func (w *world) checkLogs() {
	for thread, calls := range w.logs.of {
		if calls, ok := w.beforeLosses(calls); ok {
			w.logs.judge(thread, places(calls))
		}
	}
}

// beforeLosses returns the calls that end before the first loss. It fails if a call of the store meets the loss.
func (w *world) beforeLosses(calls []porcupine.Operation) (kept []porcupine.Operation, ok bool) {
	if len(w.losses) == 0 {
		return calls, true
	}
	first := w.losses[0].Call
	for _, o := range calls {
		_, grows := o.Input.(growth)
		switch {
		case o.Return < first:
			kept = append(kept, o)
		case grows && o.Call < first:
			return nil, false
		}
	}
	return kept, true
}

// places returns the calls of a log with numbers for frames, which begin with 1.
func places(calls []porcupine.Operation) []porcupine.Operation {
	var frames []state.Frame
	for _, o := range calls {
		if g, ok := o.Input.(growth); ok {
			frames = append(frames, g.frames...)
		}
	}
	byID := func(a, b state.Frame) int { return a.ID.Compare(b.ID) }
	slices.SortStableFunc(frames, byID)
	frames = slices.CompactFunc(frames, func(a, b state.Frame) bool { return a.ID == b.ID })
	number := func(id state.FrameID) int {
		if i, ok := slices.BinarySearchFunc(frames, state.Frame{ID: id}, byID); ok {
			return i + 1
		}
		return never
	}
	calls = slices.Clone(calls)
	for i, o := range calls {
		switch in := o.Input.(type) {
		case growth:
			calls[i].Input = place{from: number(in.frames[0].ID), to: number(in.frames[len(in.frames)-1].ID), grows: true}
		case reading:
			calls[i].Input = in.place(frames, number)
		}
		calls[i].Output = o.Input // for the report
	}
	return calls
}

// skips reports whether the reader is not sent a frame.
func (r reading) skips(f state.Frame) bool {
	return f.Type == state.TypeTrace || r.posts && f.Type == agui.TypeMessagesSnapshot
}

// place returns the place of a reading. No frame that the reader is sent is missing before the one that it found.
func (r reading) place(frames []state.Frame, number func(state.FrameID) int) place {
	if r.found.IsZero() {
		return place{to: number(r.after), ends: true}
	}
	to := number(r.found)
	if r.after.IsZero() || to == never {
		return place{to: to}
	}
	after := number(r.after)
	missing := func(f state.Frame) bool { return !r.skips(f) }
	if after >= to || slices.ContainsFunc(frames[after:to-1], missing) {
		return place{to: never}
	}
	return place{to: to}
}
