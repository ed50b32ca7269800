package faultsim

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Histories are the calls of the objects of one kind, as their callers saw them. Each history has to be linearizable:
// explained by one order of all calls, in which each takes effect between its request and its answer.
type histories struct {
	w     *world
	kind  string
	model porcupine.Model

	mu sync.Mutex
	of map[string][]porcupine.Operation // by the name of the object
}

// A loss is the input of the call that takes back the newest changes of the store. It is a call of every object.
type loss struct{}

func (w *world) newHistories(kind string, model porcupine.Model) *histories {
	return &histories{w: w, kind: kind, model: model, of: map[string][]porcupine.Operation{}}
}

// add records a call of an object that began at a tick and ends now.
func (h *histories) add(object string, client int, began int64, in, out any) {
	h.addUntil(object, client, began, h.w.tick(), in, out)
}

func (h *histories) addUntil(object string, client int, began, end int64, in, out any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[object] = append(h.of[object], porcupine.Operation{ClientId: client, Input: in, Call: began, Output: out, Return: end})
}

// count returns the number of recorded calls.
func (h *histories) count() int {
	n := 0
	for _, calls := range h.of {
		n += len(calls)
	}
	return n
}

// check judges all histories. It takes real time, so it is called outside of the bubble.
func (h *histories) check() {
	for object, calls := range h.of {
		h.judge(object, slices.Concat(calls, h.w.losses))
	}
}

func (h *histories) judge(object string, calls []porcupine.Operation) {
	const budget = 5 * time.Second
	if porcupine.CheckOperationsTimeout(h.model, calls, budget) != porcupine.Illegal {
		return
	}
	slices.SortFunc(calls, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var lines []string
	for _, o := range calls {
		lines = append(lines, fmt.Sprintf("%d to %d, by %d: %+v: %+v", o.Call, o.Return, o.ClientId, o.Input, o.Output))
	}
	h.w.problem("%s: the history of the %s is not linearizable:\n%s", object, h.kind, strings.Join(lines, "\n"))
}
