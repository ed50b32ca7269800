package gateway

import (
	"encoding/json"
	"errors"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/state"
)

// failed ends a run that failed: what was open is withdrawn, the state goes back to the last commit, and the
// answers it was to use are open again if nothing was made of them.
func (a *attempt) failed(cause error) error {
	code := codeOf(cause)
	a.logFailure(code, cause)
	if !a.unread && cancelled(code, a.intent) && !a.run.Ended() {
		return a.calledOff()
	}
	a.rec.hold()
	reopen := len(a.intent.Claims) > 0 && !a.settled
	text := publicText(cause, code)
	c := state.Commit{KeepCheckpoint: true, End: &state.End{Status: state.RunError, Code: code, Reopen: reopen, Usage: a.usage.Total()}}
	if text != code.Message() {
		c.End.Text = text
	}
	if reopen {
		c.End.Effects = a.effects
	}
	if a.unread {
		return a.failUnread(c, text)
	}
	a.ending = a.newEnding()
	if reopen {
		a.ending.Open = a.intent.Questions
	}
	if !a.run.Ended() {
		c.Messages = a.withdraw(cause, code, reopen)
		if err := a.run.Fail(&agui.RunError{Message: text, Code: string(code), Usage: c.End.Usage}); err != nil {
			return err
		}
	}
	return a.commit(c)
}

// failUnread fails a run whose log cannot be gone on with: the error alone is in order wherever the log ends.
func (a *attempt) failUnread(c state.Commit, text string) error {
	var events []agui.Event
	if !a.started() {
		events = append(events, &agui.RunStarted{
			ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, ParentRunID: a.intent.ParentRunID, ProtocolVersion: agui.ProtocolVersion,
		})
	}
	for _, e := range append(events, &agui.RunError{Message: text, Code: string(c.End.Code), Usage: c.End.Usage}) {
		data, err := agui.Encode(e)
		if err == nil {
			err = a.record(e, data)
		}
		if err != nil {
			return err
		}
	}
	return a.commit(c)
}

// withdraw closes what is open, and shows state and conversation as they stay behind; it returns what is new of
// the latter. What cannot be shown, because it is too large, is left out: the run must end.
func (a *attempt) withdraw(cause error, code agui.Code, reopen bool) []agui.Message {
	var asked []agui.Interrupt
	if reopen {
		asked = a.intent.Questions
	} else {
		a.unlessShown(a.settleBound())
	}
	kept, all := a.kept(cause, asked)
	// A reader may be told of the failure in a way that must not leave anything open.
	a.unlessShown(a.run.CloseOpen(run.ClosingOptions{SubagentCode: string(code), SubagentMessage: code.Message()}))
	a.unlessShown(a.run.RestateState())
	a.unlessShown(a.run.Emit(&agui.MessagesSnapshot{Messages: all}))
	return kept
}

func (a *attempt) unlessShown(err error) {
	if err != nil {
		a.log.Warn("run: its failure is not shown in full", "error", err)
	}
}

// cancelled reports whether a run that cannot enter its checkpoint was to call off all its questions: that is
// always possible (I3).
func cancelled(code agui.Code, intent state.Intent) bool {
	if code != agui.CodeCheckpointIncompatible || len(intent.Claims) == 0 {
		return false
	}
	for _, c := range intent.Claims {
		if c.Status != agui.ResumeCancelled {
			return false
		}
	}
	return true
}

// calledOff ends a run that had nothing to do but to drop its questions.
func (a *attempt) calledOff() error {
	if err := a.settleBound(); err != nil {
		return err
	}
	return a.finish(state.Commit{End: &state.End{Status: state.RunSuccess}}, &agui.Outcome{Type: agui.OutcomeSuccess}, nil)
}

// logFailure writes the cause where clients do not see it.
func (a *attempt) logFailure(code agui.Code, cause error) {
	withCause(a.log, cause).Error("run: failed", "code", string(code))
}

// codeOf is the code a run ends with for err.
func codeOf(err error) agui.Code {
	switch {
	case errors.Is(err, errTimeout):
		return agui.CodeRunTimeout
	case errors.Is(err, errDraining):
		return agui.CodeDraining
	case errors.Is(err, errLost):
		return agui.CodeRunLost
	case errors.Is(err, errStoreGone):
		return agui.CodeStoreUnavailable
	case errors.Is(err, state.ErrTooLarge), errors.Is(err, run.ErrEventTooLarge):
		return agui.CodeTooLarge
	}
	if code := agui.CodeOf(err); code != agui.CodeInternal {
		return code
	}
	return agui.CodeAgentFailed
}

// publicText is the sentence clients are told: the code's own, unless the author of the error wrote one for them.
func publicText(err error, code agui.Code) string {
	if coded, ok := errors.AsType[*agui.Error](err); ok && coded.Code == code {
		return coded.Public()
	}
	return code.Message()
}

// object is a state as the wire has it: one that was never set is empty.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}
