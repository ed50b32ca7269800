package agui

import (
	"cmp"
	"slices"
)

// A stepKey tells steps apart by owner and name: a subagent and its parent may each have a step of one name.
type stepKey struct{ owner, name string }

// A subagent is one invocation that the current run announced.
type subagent struct {
	order   int
	started *SubagentStarted
	ended   Event // nil while it is active
}

func (t *Tracker) checkStep(e *StepStarted) *OrderError {
	if _, open := t.steps[stepKey{e.SubagentRunID, e.StepName}]; open {
		return &OrderError{Rule: RuleAlreadyOpen, Kind: KindStep, ID: e.StepName}
	}
	return nil
}

func (t *Tracker) startStep(e *StepStarted) {
	if t.steps == nil {
		t.steps = make(map[stepKey]opened)
	}
	t.order++
	t.steps[stepKey{e.SubagentRunID, e.StepName}] = opened{order: t.order, event: e}
}

func (t *Tracker) checkSubagent(e *SubagentStarted) *OrderError {
	if s := t.subagents[e.SubagentRunID]; s != nil {
		rule := RuleSubagentReused
		if s.ended == nil {
			rule = RuleAlreadyOpen
		}
		return &OrderError{Rule: rule, Kind: KindSubagent, ID: e.SubagentRunID}
	}
	if parent := e.ParentSubagentRunID; parent != "" && t.subagents[parent] == nil {
		return &OrderError{Rule: RuleUnknownParent, Kind: KindSubagent, ID: parent}
	}
	return nil
}

func (t *Tracker) startSubagent(e *SubagentStarted) {
	if t.subagents == nil {
		t.subagents = make(map[string]*subagent)
	}
	if !t.Active(e.SubagentRunID) {
		t.active++
	}
	t.order++
	t.subagents[e.SubagentRunID] = &subagent{order: t.order, started: e}
}

func (t *Tracker) checkActive(id string) *OrderError {
	if !t.Active(id) {
		return &OrderError{Rule: RuleNotOpen, Kind: KindSubagent, ID: id}
	}
	return nil
}

func (t *Tracker) endSubagent(id string, end Event) {
	if t.Active(id) {
		t.subagents[id].ended = end
		t.active--
	}
}

// Active reports whether a subagent invocation was announced in this run and has not ended.
func (t *Tracker) Active(subagentRunID string) bool {
	s := t.subagents[subagentRunID]
	return s != nil && s.ended == nil
}

// An Opening is something that a stream has opened and not closed.
type Opening struct {
	Item
	Event Event // which opened it
	// Ended is the end of a subagent that is listed because of a live subagent that it started.
	Ended Event

	order int
}

// Open returns the open items of the given kinds, in the order of their beginning. With the subagents come those that
// ended before one that they started.
func (t *Tracker) Open(kinds ...Kind) []Opening {
	var all []Opening
	for _, kind := range kinds {
		switch kind {
		case KindStep:
			for key, o := range t.steps {
				all = append(all, Opening{Item: Item{kind, key.name, key.owner}, Event: o.event, order: o.order})
			}
		case KindSubagent:
			all = append(all, t.openSubagents()...)
		default:
			s, part := t.entitiesOf(kind)
			if s == nil || s.open[part] == 0 {
				continue
			}
			for id, e := range s.byID {
				if o := e.open[part]; o.order > 0 {
					all = append(all, Opening{Item: Item{kind, id, e.owner}, Event: o.event, order: o.order})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Opening) int { return cmp.Compare(a.order, b.order) })
	return all
}

// Opened returns the open item with an id, of a kind other than steps and subagents.
func (t *Tracker) Opened(kind Kind, id string) (Opening, bool) {
	s, part := t.entitiesOf(kind)
	if s == nil {
		return Opening{}, false
	}
	e := s.byID[id]
	if e == nil || e.open[part].order == 0 {
		return Opening{}, false
	}
	return Opening{Item: Item{kind, id, e.owner}, Event: e.open[part].event, order: e.open[part].order}, true
}

// openSubagents returns the active subagents, and the ended ones above them.
func (t *Tracker) openSubagents() []Opening {
	if t.active == 0 {
		return nil
	}
	listed := make(map[string]bool)
	var all []Opening
	for id, s := range t.subagents {
		if s.ended != nil {
			continue
		}
		for s != nil && !listed[id] {
			listed[id] = true
			all = append(all,
				Opening{Item: Item{KindSubagent, id, id}, Event: s.started, Ended: s.ended, order: s.order})
			id = s.started.ParentSubagentRunID
			s = t.subagents[id]
		}
	}
	return all
}

// checkClosed refuses the end of a run, whatever its outcome, while something is open.
func (t *Tracker) checkClosed() *OrderError {
	for _, kind := range [...]Kind{KindStep, KindText, KindReasoning, KindSpan, KindToolCall, KindSubagent} {
		if open := t.Open(kind); len(open) > 0 {
			return &OrderError{Rule: RuleUnclosed, Kind: kind, ID: open[0].ID}
		}
	}
	return nil
}
