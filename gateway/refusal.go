package gateway

import (
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// A terminal error of a run that answered a question locks CopilotKit's page until it is reloaded. So the page is sent
// the end of such a run like a refusal: with the questions that are open now. [wire.Profile] converts errors in the
// log. This file handles errors outside the log: the reader has lost the run, or its request was refused.

// A resumedRun records the events of a resumed run that a reader was sent, to close open items if it loses the run.
type resumedRun struct {
	view    *run.View
	started bool
}

// noteResumed makes the reader record the live run of t if its items may have to be closed.
func (r *reader) noteResumed(t *state.Thread) {
	if r.profile.AskAgain && t.Live != nil && t.Live.Intent.Resumed {
		r.resumed = &resumedRun{view: run.NewView(nil, nil)}
	}
}

// add adds frames that are sent. A nil resumedRun does without.
func (run *resumedRun) add(frames []state.Frame) {
	if run == nil {
		return
	}
	for _, f := range frames {
		e, err := frame.Decode(f.Data)
		if err != nil {
			continue // it opened no item
		}
		run.started = run.started || f.Type == agui.TypeRunStarted
		// Only what it opens and closes counts.
		_ = run.view.Apply(e)
	}
}

// askAgain ends a resumed run that its reader has lost, with the questions that are open now.
func (r *reader) askAgain(code errcode.Code) error {
	var events []readerEvent
	if !r.resumed.started {
		events = readerEvents(r.runStarted())
	}
	events = append(events, readerEvents(r.resumed.view.Closing(run.ClosingOptions{
		SubagentCode: string(code), SubagentMessage: code.Message(),
	})...)...)
	shown, outcome := r.currentSnapshots()
	events = append(events, shown...)
	value, err := json.Marshal(map[string]string{"code": string(code), "message": code.Message()})
	if err != nil {
		return err
	}
	events = append(events, readerEvents(&agui.Custom{Name: wire.CustomFailed, Value: value},
		r.runFinished(outcome))...)
	if err := r.send(state.FrameID{}, events...); err != nil {
		return err
	}
	return r.stream.close()
}

// currentSnapshots returns snapshots of the thread, if the store is available, and its current outcome.
func (r *reader) currentSnapshots() ([]readerEvent, *agui.Outcome) {
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	ctx, cancel := context.WithTimeout(r.req.Context(), pingTimeout)
	defer cancel()
	s, err := r.g.store.Snapshot(ctx, r.key)
	if err != nil {
		return nil, outcome
	}
	if s.Thread.Live == nil && len(s.Interrupts) > 0 {
		outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: s.Interrupts}
	}
	return []readerEvent{stateSnapshot(s.State), messagesSnapshot(s.Messages)}, outcome
}

// refuse answers a refused request: with an error, or the question again for clients that would lose it.
func (r *reader) refuse(begun *state.Begun) error {
	code := begun.Verdict.Code
	r.g.log(r.req).Info("run: refused",
		append([]any{"code", code, "agent", r.key.Agent, "thread", r.key.ID},
			problemAttrs(begun.Verdict.Details)...)...)
	if code == errcode.Cancelled {
		return r.sendCancelled()
	}
	if !r.profile.AskAgain && r.profile.Dialect != wire.Legacy {
		return r.sendError(code, begun.Verdict.Details...)
	}
	refused := wire.Refused(code, begun.Verdict.Details...)
	switch {
	case !begun.Exists:
		return r.send(state.FrameID{}, readerEvents(
			r.runStarted(), refused, r.runFinished(&agui.Outcome{Type: agui.OutcomeSuccess}))...)
	case begun.Thread.Live != nil:
		return r.join(begun.Thread, refused)
	default:
		return r.showOrJoin(begun, threadView{more: begun.Verdict.Show, extra: []agui.Event{refused}})
	}
}

// sendError sends a run that consists of an error, for any profile.
func (r *reader) sendError(code errcode.Code, details ...state.Problem) error {
	e := &agui.RunError{Message: code.Message(), Code: string(code)}
	e.Metadata = state.MetadataOf(details)
	return r.send(state.FrameID{}, readerEvents(r.runStarted(), e)...)
}

// problemAttrs returns the problems of answers as attributes of a log line.
func problemAttrs(details []state.Problem) []any {
	if len(details) == 0 {
		return nil
	}
	texts := make([]string, len(details))
	for i, p := range details {
		texts[i] = p.String()
	}
	return []any{"details", texts}
}

// A refusedAnswer is a refusal with the problems of the answers.
type refusedAnswer struct {
	err     error
	details []state.Problem
}

// Error is that of the cause.
func (e *refusedAnswer) Error() string { return e.err.Error() }

// Unwrap returns the cause, which has the code.
func (e *refusedAnswer) Unwrap() error { return e.err }
