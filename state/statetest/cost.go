package statetest

import (
	"encoding/json"
	"runtime"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// flat compares what a commit costs at the 10th and at the 10,000th message.
func flat(w *world) {
	l := w.start("u1")
	fill := func(n int) {
		list := make([]agui.Message, n)
		for i := range list {
			list[i] = assistant(w.id())
		}
		w.commit(l, state.Commit{Messages: list})
	}
	fill(9)
	mallocs, bytes := cost(w, l)
	fill(9_900)
	// A list that grows is copied now and then; one copy is no more than everybody pays for its own messages.
	moreMallocs, moreBytes := cost(w, l)
	if moreMallocs > 2*mallocs+50 || moreBytes > 2*bytes+64<<10 {
		w.Errorf("a commit costs %d allocations and %d bytes at 10,000 messages, %d and %d at 10", moreMallocs, moreBytes, mallocs, bytes)
	}
}

// pastOfStates compares what a run costs on a thread whose state is small and never changed, and on one whose state was
// replaced by a large one in each of many runs, and is left alone now.
func pastOfStates(w *world) {
	w.succeed(w.start("u"), 1)
	before := w.costOfRun()
	for i := range 20 {
		large := `{"n":` + strconv.Itoa(i) + `,"text":"` + strings.Repeat(string(rune('a'+i)), 256<<10) + `"}`
		l := w.start(w.id())
		w.commit(l, state.Commit{State: json.RawMessage(large), Frames: frames(l, 1, 1), End: &state.End{Status: state.RunSuccess}})
	}
	if after := w.costOfRun(); after > 2*before+64<<10 {
		w.Errorf("a run allocates %d bytes on a thread of many large states, %d on a new one", after, before)
	}
}

// costOfRun is the least that a run with two commits allocates, of some.
func (w *world) costOfRun() uint64 {
	w.Helper()
	var before, after runtime.MemStats
	bytes := ^uint64(0)
	for range 5 {
		request := w.request(user(w.id()))
		runtime.ReadMemStats(&before)
		l := w.begin(request).Lease
		w.commit(l, state.Commit{Messages: []agui.Message{assistant(w.id())}, Checkpoint: json.RawMessage(`{}`), Frames: frames(l, 1, 1)})
		w.succeed(l, 2, assistant(w.id()))
		runtime.ReadMemStats(&after)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return bytes
}

// cost is the least a commit of one message allocates, of some.
func cost(w *world, l *state.Lease) (mallocs, bytes uint64) {
	var before, after runtime.MemStats
	mallocs, bytes = ^uint64(0), ^uint64(0)
	for range 20 {
		c := state.Commit{Messages: []agui.Message{assistant(w.id())}}
		runtime.ReadMemStats(&before)
		w.commit(l, c)
		runtime.ReadMemStats(&after)
		mallocs = min(mallocs, after.Mallocs-before.Mallocs)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return mallocs, bytes
}
