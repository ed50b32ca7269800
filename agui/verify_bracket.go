package agui

// Steps and subagents bracket parts of a run. Neither carries content, and both are closed by whoever opened them.

func (v *Verifier) startStep(s stepKey) *OrderError {
	if _, ok := v.steps[s]; ok {
		return &OrderError{Rule: RuleAlreadyOpen, Kind: kindStep, ID: s.name}
	}
	if v.steps == nil {
		v.steps = make(map[stepKey]struct{})
	}
	v.steps[s] = struct{}{}
	return nil
}

// finishStep closes a step; unlike a message's end, an untagged one means the parent's step and no other.
func (v *Verifier) finishStep(s stepKey) *OrderError {
	if _, ok := v.steps[s]; !ok {
		return &OrderError{Rule: RuleNotOpen, Kind: kindStep, ID: s.name}
	}
	delete(v.steps, s)
	return nil
}

func (v *Verifier) startSubagent(e *SubagentStarted) *OrderError {
	if active, known := v.subagents[e.SubagentRunID]; known {
		rule := RuleSubagentReused
		if active {
			rule = RuleAlreadyOpen
		}
		return &OrderError{Rule: rule, Kind: kindSubagent, ID: e.SubagentRunID}
	}
	if parent := e.ParentSubagentRunID; parent != "" {
		if _, known := v.subagents[parent]; !known {
			return &OrderError{Rule: RuleUnknownParent, Kind: kindSubagent, ID: parent}
		}
	}
	if v.subagents == nil {
		v.subagents = make(map[string]bool)
	}
	v.subagents[e.SubagentRunID] = true
	v.active++
	return nil
}

func (v *Verifier) endSubagent(id string) *OrderError {
	if !v.subagents[id] {
		return &OrderError{Rule: RuleNotOpen, Kind: kindSubagent, ID: id}
	}
	v.subagents[id] = false
	v.active--
	return nil
}
