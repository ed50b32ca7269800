package agui

// A Verifier checks that events come in an order AG-UI 1.0 allows, with the very verdicts of the protocol's own client,
// @ag-ui/client 1.0.0, to which the tests in interop compare it. It checks order and ownership only; that an event is well formed is the
// business of [Decode]. It expands chunks as the client does, in its own state: nothing is emitted. It knows no empty
// tag, parent or chunk id: where the client tells an empty one from an absent one, here both are absent.
//
// The zero value is ready for the first event of a stream, which may hold several runs. A Verifier belongs to one
// stream and is not safe for concurrent use. Its memory grows with the ids of the current run.
type Verifier struct {
	phase phase
	dead  *OrderError

	// Ids are unique within a kind only, so each kind has its own map. An entry outlives its closing, because the
	// owner of an id holds for the whole run.
	texts     entities
	toolCalls entities
	reasoning entities // messages and spans: two open flags, one owner
	activity  entities // never open; only the owner counts

	steps     map[stepKey]struct{}
	subagents map[string]bool // true while active; a finished id stays, since it is never used again
	active    int             // subagents that are active

	lanes []lane
}

// A phase is where in its life the current run is.
type phase uint8

const (
	phaseNew phase = iota
	phaseRunning
	phaseFinished
	phaseFailed
)

// A stepKey tells steps apart by owner and name: a subagent and its parent may each have a step of one name.
type stepKey struct{ owner, name string }

// Next takes the next event of the stream. It returns nil, or an [*OrderError] if the event is out of order. After an
// error the stream is dead: the Verifier's state is undefined, and every later call returns the same error.
// An [*Unknown] event is passed over, as the reference client drops it before it looks at the order.
func (v *Verifier) Next(e Event) error {
	if v.dead != nil {
		return v.dead
	}
	if _, ok := e.(*Unknown); ok {
		return nil
	}
	if err := v.next(e); err != nil {
		err.Type = e.EventType()
		v.dead = err
		return err
	}
	return nil
}

func (v *Verifier) next(e Event) *OrderError {
	if err := v.admit(e); err != nil {
		return err
	}
	if len(v.lanes) > 0 {
		if err := v.closeLanesBefore(e); err != nil {
			return err
		}
	}
	return v.apply(e)
}

// admit holds e against the phase of the run.
func (v *Verifier) admit(e Event) *OrderError {
	if v.phase == phaseRunning {
		if _, ok := e.(*RunStarted); ok {
			return &OrderError{Rule: RuleRunActive}
		}
		return nil
	}
	switch e.(type) {
	case *RunStarted:
		return nil
	case *RunError:
		if v.phase != phaseFailed {
			return nil
		}
	}
	if v.phase == phaseNew {
		return &OrderError{Rule: RuleFirstEvent}
	}
	return &OrderError{Rule: RuleRunEnded}
}

// apply does what e does to the state. Events without a case have no order beyond that of the run.
func (v *Verifier) apply(e Event) *OrderError {
	switch e := e.(type) {
	case *TextMessageContent:
		return v.texts.check(openMessage, kindText, e.MessageID, e.SubagentRunID)
	case *TextMessageStart:
		return v.texts.start(openMessage, kindText, e.MessageID, e.SubagentRunID)
	case *TextMessageEnd:
		return v.texts.end(openMessage, kindText, e.MessageID, e.SubagentRunID)
	case *TextMessageChunk:
		return v.textChunk(e)

	case *ToolCallArgs:
		return v.toolCalls.check(openMessage, kindToolCall, e.ToolCallID, e.SubagentRunID)
	case *ToolCallStart:
		return v.startToolCall(e.ToolCallID, e.ParentMessageID, e.SubagentRunID)
	case *ToolCallEnd:
		return v.toolCalls.end(openMessage, kindToolCall, e.ToolCallID, e.SubagentRunID)
	case *ToolCallChunk:
		return v.toolCallChunk(e)
	case *ToolCallResult:
		v.texts.own(e.MessageID, e.SubagentRunID)

	case *ReasoningMessageContent:
		return v.reasoning.check(openMessage, kindReasoning, e.MessageID, e.SubagentRunID)
	case *ReasoningMessageStart:
		return v.reasoning.start(openMessage, kindReasoning, e.MessageID, e.SubagentRunID)
	case *ReasoningMessageEnd:
		return v.reasoning.end(openMessage, kindReasoning, e.MessageID, e.SubagentRunID)
	case *ReasoningMessageChunk:
		return v.reasoningChunk(e)
	case *ReasoningStart:
		return v.reasoning.start(openSpan, kindSpan, e.MessageID, e.SubagentRunID)
	case *ReasoningEnd:
		return v.reasoning.end(openSpan, kindSpan, e.MessageID, e.SubagentRunID)
	case *ReasoningEncryptedValue:
		return v.encryptedValue(e)

	case *ActivitySnapshot:
		if e.Replace == nil || *e.Replace || !v.activity.has(e.MessageID) {
			v.activity.own(e.MessageID, e.SubagentRunID)
		}
	case *ActivityDelta:
		return v.activity.agree(kindActivity, e.MessageID, e.SubagentRunID)
	case *MessagesSnapshot:
		v.restate(e.Messages)

	case *StepStarted:
		return v.startStep(stepKey{e.SubagentRunID, e.StepName})
	case *StepFinished:
		return v.finishStep(stepKey{e.SubagentRunID, e.StepName})
	case *SubagentStarted:
		return v.startSubagent(e)
	case *SubagentFinished:
		return v.endSubagent(e.SubagentRunID)
	case *SubagentError:
		return v.endSubagent(e.SubagentRunID)

	case *RunStarted:
		v.startRun(e)
	case *RunFinished:
		return v.finishRun()
	case *RunError:
		v.phase = phaseFailed // whatever is open is abandoned
	}
	return nil
}
