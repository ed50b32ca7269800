package agui

import "iter"

// startRun begins a run with nothing open and nobody owning anything but what the echoed input says.
func (v *Verifier) startRun(e *RunStarted) {
	v.texts.reset()
	v.toolCalls.reset()
	v.reasoning.reset()
	v.activity.reset()
	clear(v.steps)
	clear(v.subagents)
	v.active = 0
	v.phase = phaseRunning
	if e.Input != nil {
		v.recall(e.Input.Messages)
	}
}

// finishRun ends the run if nothing is open, whatever the outcome.
func (v *Verifier) finishRun() *OrderError {
	unclosed := func(kind, id string) *OrderError { return &OrderError{Rule: RuleUnclosed, Kind: kind, ID: id} }
	switch {
	case len(v.steps) > 0:
		return unclosed(kindStep, leastID(func(yield func(string) bool) {
			for s := range v.steps {
				if !yield(s.name) {
					return
				}
			}
		}))
	case v.texts.messages > 0:
		return unclosed(kindText, v.texts.firstOpen(openMessage))
	case v.reasoning.messages > 0:
		return unclosed(kindReasoning, v.reasoning.firstOpen(openMessage))
	case v.reasoning.spans > 0:
		return unclosed(kindSpan, v.reasoning.firstOpen(openSpan))
	case v.toolCalls.messages > 0:
		return unclosed(kindToolCall, v.toolCalls.firstOpen(openMessage))
	case v.active > 0:
		return unclosed(kindSubagent, leastID(func(yield func(string) bool) {
			for id, active := range v.subagents {
				if active && !yield(id) {
					return
				}
			}
		}))
	}
	v.phase = phaseFinished
	return nil
}

// leastID returns the smallest of ids, so that errors do not depend on the order of a map.
func leastID(ids iter.Seq[string]) string {
	first, found := "", false
	for id := range ids {
		if !found || id < first {
			first, found = id, true
		}
	}
	return first
}
