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
		w.Errorf("a commit costs %d allocations and %d bytes at 10,000 messages, %d and %d at 10", moreMallocs,
			moreBytes, mallocs, bytes)
	}
}

// pastOfStates compares the cost of a run on a thread with a small constant state, and on one with a state that many
// runs have replaced by a large one.
func pastOfStates(w *world) {
	w.succeed(w.start("u"), 1)
	before := w.costOfRun()
	for i := range 20 {
		large := `{"n":` + strconv.Itoa(i) + `,"text":"` + strings.Repeat(string(rune('a'+i)), 256<<10) + `"}`
		l := w.start(w.id())
		w.commit(l, state.Commit{State: json.RawMessage(large), Frames: frames(l, 1, 1),
			End: &state.End{Status: state.RunSuccess}})
	}
	if after := w.costOfRun(); after > 2*before+64<<10 {
		w.Errorf("a run allocates %d bytes on a thread of many large states, %d on a new one", after, before)
	}
}

// regenerations compares what a thread of two messages costs its readers and its runs with one of which the second
// message was made anew many times.
func regenerations(w *world) {
	long := func() agui.Message {
		m := assistant(w.id())
		m.Content = agui.TextContent(strings.Repeat("x", 50<<10))
		return m
	}
	read := func() uint64 {
		return leastBytes(func() {
			if got := w.messages(-1); len(got) != 2 {
				w.Fatalf("messages = %v", got)
			}
		})
	}
	again := func() {
		r := w.request(user("u1"))
		r.Regenerate = true
		w.succeed(w.means(r, state.Repeat, 13).Lease, 1, long())
	}
	w.succeed(w.start("u1"), 1, long())
	again()
	reading, running := read(), leastBytes(again)
	for range 100 {
		again()
	}
	if got := read(); got > 2*reading+64<<10 {
		w.Errorf("reading two messages allocates %d bytes after 100 regenerations, %d before", got, reading)
	}
	if got := leastBytes(again); got > 2*running+64<<10 {
		w.Errorf("a regeneration allocates %d bytes after 100 of them, %d before", got, running)
	}
}

// leastBytes is the least that do allocates, of some.
func leastBytes(do func()) uint64 {
	var before, after runtime.MemStats
	bytes := ^uint64(0)
	for range 5 {
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return bytes
}

// costOfRun is the least that a run with two commits allocates, of some.
func (w *world) costOfRun() uint64 {
	w.Helper()
	return leastBytes(func() {
		l := w.start(w.id())
		w.commit(l, state.Commit{Messages: []agui.Message{assistant(w.id())}, Checkpoint: json.RawMessage(`{}`),
			Frames: frames(l, 1, 1)})
		w.succeed(l, 2, assistant(w.id()))
	})
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
