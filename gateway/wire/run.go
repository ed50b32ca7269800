package wire

import (
	"bytes"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// projectStarted gives the run the reader's id, and an older reader an input it can read. The input is
// complete in any case: [agui.RunAgentInput] always writes tools and context.
func (w Profile) projectStarted(e *agui.RunStarted) ([]agui.Event, Loss) {
	e.RunID = w.runID(e.RunID)
	if e.Input == nil {
		return []agui.Event{e}, 0
	}
	e.Input.RunID = w.runID(e.Input.RunID)
	var loss Loss
	if w.Era == agui.Era0 {
		loss = olderMessages(e.Input.Messages)
	}
	return []agui.Event{e}, loss
}

func (w Profile) projectFinished(e *agui.RunFinished) ([]agui.Event, Loss) {
	e.RunID = w.runID(e.RunID)
	if e.Outcome == nil {
		return []agui.Event{e}, 0
	}
	switch e.Outcome.Type {
	case agui.OutcomeInterrupt:
		return w.projectInterrupted(e)
	case agui.OutcomeCancelled:
		return w.projectStopped(e), 0
	default:
		// An older client fails on a list of waiting calls. assistant-ui executes calls after an end without an
		// outcome.
		if w.Dialect == Legacy || w.Era == agui.Era0 && len(e.Outcome.PendingToolCallIDs) > 0 {
			e.Outcome = nil
		}
		return []agui.Event{e}, 0
	}
}

func (w Profile) projectInterrupted(e *agui.RunFinished) ([]agui.Event, Loss) {
	if w.Dialect == Legacy {
		events := make([]agui.Event, 0, len(e.Outcome.Interrupts)+1)
		for _, i := range e.Outcome.Interrupts {
			events = append(events, legacyInterrupt(e.Timestamp, i))
		}
		e.Outcome = nil
		return append(events, e), 0
	}
	if w.Era != agui.Era0 {
		return []agui.Event{e}, 0
	}
	var loss Loss
	for i := range e.Outcome.Interrupts {
		// A pre-1.0 client with an expired interrupt refuses every run, even one that cancels it.
		if e.Outcome.Interrupts[i].ExpiresAt != "" {
			e.Outcome.Interrupts[i].ExpiresAt = ""
			loss |= LostExpiry
		}
	}
	return []agui.Event{e}, loss
}

func (w Profile) projectStopped(e *agui.RunFinished) []agui.Event {
	switch {
	case w.Stop == StopPlain:
		e.Outcome = nil
	case w.Era == agui.Era0:
		return []agui.Event{&agui.RunError{Base: e.Base, Message: errcode.Cancelled.Message(),
			Code: string(errcode.Cancelled), Usage: e.Usage}}
	}
	return []agui.Event{e}
}

// projectFailed asks the open questions again instead of sending the error, after which a reader could not answer.
func (w Profile) projectFailed(e *agui.RunError, end *state.Ending) ([]agui.Event, Loss) {
	if !w.asksAgain(end) {
		return []agui.Event{e}, 0
	}
	finished := &agui.RunFinished{Base: e.Base, ThreadID: end.ThreadID, RunID: end.RunID, Usage: e.Usage}
	if len(end.Open) > 0 {
		open := append([]agui.Interrupt(nil), end.Open...) // the frame is shared, the deadlines may go
		finished.Outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: open}
	}
	rest, loss := w.projectFinished(finished)
	event := failure(CustomFailed, e.Code, e.Message)
	event.Timestamp = e.Timestamp
	return append([]agui.Event{event}, rest...), loss
}

// failure returns a CUSTOM event with an error that does not end the run.
func failure(name, code, message string, details ...state.Problem) *agui.Custom {
	value, _ := agui.Marshal(struct {
		Code    string          `json:"code,omitempty"`
		Message string          `json:"message"`
		Details []state.Problem `json:"details,omitempty"`
	}{code, message, details}) // strings always encode
	return &agui.Custom{Name: name, Value: value}
}

// Refused returns the event that reports a refused request on an open stream, with the problems of its answers.
func Refused(code errcode.Code, details ...state.Problem) *agui.Custom {
	return failure(CustomRefused, string(code), code.Message(), details...)
}

func (w Profile) runID(id string) string {
	if w.RunID != "" {
		return w.RunID
	}
	return id
}

// legacyInterrupt returns the question i in the legacy dialect: the members of metadata.value with our id, which binds
// the answer, as JSON in a string. A question without such an object has its message. at is when it was asked.
func legacyInterrupt(at int64, i agui.Interrupt) *agui.Custom {
	members := map[string]json.RawMessage{}
	if value := i.Metadata["value"]; bytes.HasPrefix(value, []byte("{")) {
		_ = json.Unmarshal(value, &members) // it was checked when i was decoded
	} else if value != nil {
		members["value"] = value
	}
	if _, ok := members["message"]; !ok && i.Message != "" {
		members["message"], _ = agui.Marshal(i.Message)
	}
	members["id"], _ = agui.Marshal(i.ID)
	object, _ := agui.Marshal(members)
	text, _ := agui.Marshal(string(object))
	return &agui.Custom{Tagged: agui.Tagged{Base: agui.Base{Timestamp: at}}, Name: CustomInterrupt, Value: text}
}
