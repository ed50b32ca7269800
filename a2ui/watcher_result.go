package a2ui

import (
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// result takes the result of a call: operations, or that there are none to come.
func (w *Watcher) result(call, content string) []agui.Event {
	c := w.calls[call]
	delete(w.calls, call)
	key := call
	if c != nil {
		key = c.key
	}
	f := readFailure(content)
	switch {
	case f.Code == codeExhausted:
		w.rejected = ""
		return []agui.Event{failed(key, f, w.o.Attempts)}
	case f.Code == codeInvalid && c != nil && !c.rejected:
		return []agui.Event{w.reject(c, f.Errors)}
	case f.Code == codeInvalid, c != nil && c.design != nil, w.shown[MessageID(call)]:
		return nil // it is shown
	}
	events := w.operations(call, readResult(content, MaxOperations+1))
	if c != nil && !c.rejected && events == nil {
		return []agui.Event{w.reject(c, []Problem{{CodeEmpty, "components", "there is no surface in the call"}})}
	}
	return events
}

// operations are the activities of the operations of a result: one for each surface.
func (w *Watcher) operations(call string, all []Operation) (events []agui.Event) {
	if len(all) == 0 {
		return nil
	}
	if len(all) > MaxOperations {
		return []agui.Event{undrawable(call, []Problem{{CodeTooLarge, operationsKey,
			"there are more than " + strconv.Itoa(MaxOperations) + " operations"}})}
	}
	surfaces, of := split(all)
	for _, surface := range surfaces {
		id, list := MessageID(call), of[surface]
		if len(surfaces) > 1 {
			id = activityPrefix + surface + "-" + call
		}
		if !creates(list) {
			var before []Operation
			if id, before = w.find(surface); id == "" {
				continue // there is nothing to change: the result is a text like any
			}
			list = merge(before, list)
		}
		if problems := problemsOf(list, Catalogue{Functions: w.o.Catalogue.Functions}); problems != nil {
			events = append(events, undrawable(call, problems))
			continue
		}
		events = append(events, painted(id, list))
	}
	return events
}

func (w *Watcher) find(surface string) (string, []Operation) {
	if w.o.Find == nil {
		return "", nil
	}
	return w.o.Find(surface)
}

// undrawable returns the activity of a result with operations that cannot be drawn.
func undrawable(call string, problems []Problem) *agui.ActivitySnapshot {
	return failed(call, failure{Error: "The surface of the tool cannot be drawn.",
		Attempts: []Attempt{{Attempt: 1, Errors: problems}}}, 1)
}
