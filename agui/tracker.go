package agui

// A Tracker knows what a stream has open and who owns what in it: messages, calls, reasoning, activities, steps and
// subagents. [Tracker.Check] holds an event to the order rules without changing anything, [Tracker.Note] takes it into
// account. A [Verifier] does one after the other; writers and viewers of a stream call them separately, and read the
// open items from the Tracker. A Tracker takes whole events: an [Expander] makes them of chunks.
//
// The zero value is ready for the first event of a stream. A Tracker is not safe for concurrent use.
type Tracker struct {
	// Known is asked who owns an id of a kind that the current run has not named: something of the conversation before
	// it. If it is nil nothing is known of that.
	Known func(kind Kind, id string) (owner string, known bool)

	phase phase
	order int // counts openings

	// Ids are unique within a kind only, so each kind has its own map. An entity outlives its closing, because the
	// owner of an id holds for the whole run.
	texts     entities
	toolCalls entities
	reasoning entities // messages and spans, which may share an id and then always share the owner
	activity  entities // never open; only the owner counts

	steps     map[stepKey]opened
	subagents map[string]*subagent // a finished one stays, since its id is never used again
	active    int                  // subagents that are active
}

// A phase is where in its life the current run is.
type phase uint8

const (
	phaseNew phase = iota
	phaseRunning
	phaseFinished
	phaseFailed
)

func (t *Tracker) admit(e Event) *OrderError {
	if t.phase == phaseRunning {
		if _, ok := e.(*RunStarted); ok {
			return &OrderError{Rule: RuleRunActive}
		}
		return nil
	}
	switch e.(type) {
	case *RunStarted:
		return nil
	case *RunError:
		if t.phase != phaseFailed {
			return nil
		}
	}
	if t.phase == phaseNew {
		return &OrderError{Rule: RuleFirstEvent}
	}
	return &OrderError{Rule: RuleRunEnded}
}

// Check returns an [*OrderError] if e is out of order where the stream is now. It changes nothing.
func (t *Tracker) Check(e Event) error {
	if err := t.check(e); err != nil {
		err.Type = TypeOf(e)
		return err
	}
	return nil
}

// check is Check without the event's type. Events without a case have no order beyond that of the run.
func (t *Tracker) check(e Event) *OrderError {
	if err := t.admit(e); err != nil {
		return err
	}
	switch e := e.(type) { // nearly all events of a stream are content
	case *TextMessageContent:
		return t.texts.checkOpen(message, Item{KindText, e.MessageID, e.SubagentRunID})
	case *ToolCallArgs:
		return t.toolCalls.checkOpen(message, Item{KindToolCall, e.ToolCallID, e.SubagentRunID})
	case *ReasoningMessageContent:
		return t.reasoning.checkOpen(message, Item{KindReasoning, e.MessageID, e.SubagentRunID})
	}
	switch item, effect := ItemOf(e); effect {
	case Closes:
		s, part := t.entitiesOf(item.Kind)
		return s.checkOpen(part, item)
	case Opens:
		if call, ok := e.(*ToolCallStart); ok {
			return t.checkToolCall(call, item)
		}
		return t.checkStart(item)
	default:
	}
	switch e := e.(type) {
	case *ReasoningEncryptedValue:
		return t.checkEncrypted(e)
	case *ActivityDelta:
		return t.checkOwner(KindActivity, e.MessageID, e.SubagentRunID)

	case *StepStarted:
		return t.checkStep(e)
	case *StepFinished:
		if _, open := t.steps[stepKey{e.SubagentRunID, e.StepName}]; !open {
			return &OrderError{Rule: RuleNotOpen, Kind: KindStep, ID: e.StepName}
		}
	case *SubagentStarted:
		return t.checkSubagent(e)
	case *SubagentFinished:
		return t.checkActive(e.SubagentRunID)
	case *SubagentError:
		return t.checkActive(e.SubagentRunID)
	case *RunFinished:
		return t.checkClosed()
	}
	return nil
}

// Note takes e into account, whether or not it is in order: of an event that is not, whatever makes sense.
func (t *Tracker) Note(e Event) {
	switch e.(type) {
	case *TextMessageContent, *ToolCallArgs, *ReasoningMessageContent:
		return
	}
	switch item, effect := ItemOf(e); effect {
	case Closes:
		t.end(item)
		return
	case Opens:
		if call, ok := e.(*ToolCallStart); ok {
			item.Owner, _ = t.callOwner(call)
		}
		t.start(item, e)
		return
	default:
	}
	switch e := e.(type) {
	case *ToolCallResult:
		t.texts.own(e.MessageID, e.SubagentRunID)
	case *ActivitySnapshot:
		if _, known := t.Owner(KindActivity, e.MessageID); !known || e.Replace == nil || *e.Replace {
			t.activity.own(e.MessageID, e.SubagentRunID)
		}
	case *MessagesSnapshot:
		t.record(e.Messages, (*entities).own) // the last word: the client replaces its messages with these
	case *StepStarted:
		t.startStep(e)
	case *StepFinished:
		delete(t.steps, stepKey{e.SubagentRunID, e.StepName}) // without a tag it is the parent's step and no other
	case *SubagentStarted:
		t.startSubagent(e)
	case *SubagentFinished:
		t.endSubagent(e.SubagentRunID, e)
	case *SubagentError:
		t.endSubagent(e.SubagentRunID, e)
	case *RunStarted:
		t.reset()
		t.phase = phaseRunning
		if e.Input != nil {
			t.record(e.Input.Messages, (*entities).claim)
		}
	case *RunFinished:
		t.phase = phaseFinished
	case *RunError:
		t.reset() // whatever is open is abandoned
		t.phase = phaseFailed
	}
}

// reset forgets a run, with its open items and owners.
func (t *Tracker) reset() {
	for _, s := range []*entities{&t.texts, &t.toolCalls, &t.reasoning, &t.activity} {
		clear(s.byID)
		s.open = [2]int{}
	}
	clear(t.steps)
	clear(t.subagents)
	t.active = 0
}
