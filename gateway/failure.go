package gateway

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// endFailed ends a run that failed: open items are withdrawn, the state returns to the last commit, and questions that
// the run answered are open again unless a commit has consumed the answers.
func (a *attempt) endFailed(cause error) error {
	code := codeOf(cause)
	a.noteFailure(cause)
	if !a.logUnusable && allCancelled(code, a.intent) && !a.run.Ended() {
		return a.endCalledOff()
	}
	a.logFailure(code, cause)
	a.rec.Hold()
	reopen := len(a.intent.Claims) > 0 && !a.answersUsed
	text := publicText(cause, code)
	c := state.Commit{KeepCheckpoint: true, End: &state.End{
		Status: state.RunError, Code: code, Reopen: reopen, Usage: a.usage.Total(), Cost: a.usage.Cost(),
	}}
	if text != code.Message() {
		c.End.Text = text
	}
	if reopen {
		c.End.Effects = a.effects
	}
	if a.logUnusable {
		return a.endWithoutLog(c, text)
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

// endWithoutLog fails a run with a log that cannot be continued: RUN_ERROR alone is valid after any event.
func (a *attempt) endWithoutLog(c state.Commit, text string) error {
	var events []agui.Event
	if !a.inLog() {
		events = append(events, &agui.RunStarted{
			ThreadID: a.lease.Key.ID, RunID: a.intent.RunID, ParentRunID: a.intent.ParentRunID,
			ProtocolVersion: agui.ProtocolVersion,
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

// withdraw closes open items and sends the final state and conversation of the run; it returns the new messages of the
// conversation. Items that are too large to send are left out: the run must end.
func (a *attempt) withdraw(cause error, code errcode.Code, reopen bool) []agui.Message {
	var reopened []agui.Interrupt
	if reopen {
		reopened = a.intent.Questions
	} else {
		a.warnUnlessShown(a.answerBoundCalls())
	}
	kept, all := a.completeMessages(cause, reopened)
	// Readers that are sent another event than RUN_ERROR need all items closed before it.
	a.warnUnlessShown(a.closeOpen(code))
	a.warnUnlessShown(a.run.RestateState())
	a.warnUnlessShown(a.run.Emit(&agui.MessagesSnapshot{Messages: all}))
	return kept
}

func (a *attempt) warnUnlessShown(err error) {
	if err != nil {
		a.log.Warn("run: its failure is not shown in full", "error", err)
	}
}

// allCancelled reports whether a run that cannot continue from its checkpoint has only cancellations, which always work
// (I3).
func allCancelled(code errcode.Code, intent state.Intent) bool {
	if code != errcode.CheckpointIncompatible || len(intent.Claims) == 0 {
		return false
	}
	for _, c := range intent.Claims {
		if c.Status != agui.ResumeCancelled {
			return false
		}
	}
	return true
}

// endCalledOff ends a run that only calls its questions off.
func (a *attempt) endCalledOff() error {
	if err := a.answerBoundCalls(); err != nil {
		return err
	}
	return a.finish(state.Commit{End: &state.End{Status: state.RunSuccess}}, &agui.Outcome{Type: agui.OutcomeSuccess},
		nil)
}

// logFailure writes the cause to the server log; clients are sent a code and its sentence.
func (a *attempt) logFailure(code errcode.Code, cause error) {
	level := slog.LevelError
	if slices.Contains(expectedEndings, code) {
		level = slog.LevelWarn
	}
	calls.WithCause(a.log, cause).Log(a.background, level, "run: failed", "code", string(code))
}

// expectedEndings are the codes of runs that a rule, a limit or a shutdown has ended, which is no fault.
var expectedEndings = []errcode.Code{errcode.GuardrailRefused, errcode.BudgetExceeded, errcode.RunTimeout,
	errcode.Draining, errcode.Cancelled, errcode.RateLimited}

// codeOf returns the code with which a run ends because of err.
func codeOf(err error) errcode.Code {
	switch {
	case errors.Is(err, errTimeout):
		return errcode.RunTimeout
	case errors.Is(err, errDraining):
		return errcode.Draining
	case errors.Is(err, errAttemptsUsedUp):
		return errcode.RunLost
	case errors.Is(err, errStoreGone):
		return errcode.StoreUnavailable
	case errors.Is(err, document.ErrTooLarge), errors.Is(err, run.ErrEventTooLarge):
		return errcode.TooLarge
	}
	if code := errcode.Of(err); code != errcode.Internal {
		return code
	}
	return errcode.AgentFailed
}

// publicText returns the sentence that clients are sent: the code's own, unless err has one for them.
func publicText(err error, code errcode.Code) string {
	if coded, ok := errors.AsType[*errcode.Error](err); ok && coded.Code == code {
		return coded.Public()
	}
	return code.Message()
}
