package groupchat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/telemetry"
)

// retry tries the turn of record, which is part of t, as often as p's policy says. It reports whether the turn failed
// and the chat skips it.
func (t *Turn) retry(ctx context.Context, p *Participant, record *turnRecord,
	attempt func() error) (skipped bool, err error) {
	for {
		err := attempt()
		if err == nil || ask.PauseOf(err) != nil || t.x.endCause() != nil {
			return false, err
		}
		again := p.OnError.Again(record.Tries, err)
		t.x.countFailure(record)
		switch {
		case ctx.Err() != nil:
			return false, err // the turn above has ended
		case again:
			t.x.Log.WarnContext(ctx, "groupchat: turn failed, trying again", "turn", record.ID, "error", err)
			if !p.OnError.Wait(ctx, record.Tries) {
				return false, err
			}
		case p.OnError.Skip:
			t.x.Log.WarnContext(ctx, "groupchat: turn failed, going on without", "turn", record.ID, "error", err)
			return true, nil
		default:
			return false, err
		}
	}
}

// try is one try of the turn, sent to clients as a step and a subagent. Conclude is called when the agent is done,
// before the ends of both are sent.
func (t *Turn) try(agent Agent, conclude func() error) error {
	if len(t.path) > maxDepth {
		return t.x.fatal(fail(errcode.NotConverged, "%s: nested deeper than %d", t.Path(), maxDepth))
	}
	if err := t.enterScope(); err != nil {
		return err
	}
	t.markBegun()
	t.announce()
	ctx, work := telemetry.Begin(t.ctx, telemetry.Record{
		Kind: telemetry.KindTurn, Name: t.stepName(), Attempt: t.record.Tries + 1,
		SubagentRunID: t.record.SubagentRunID, ToolCallID: t.call,
	})
	t.ctx = ctx
	err := t.invocation(agent, conclude)
	t.endStep(work, err)
	return err
}

// invocation is the try, between the events of its begin and of its end.
func (t *Turn) invocation(agent Agent, conclude func() error) error {
	x, p := t.x, t.participant
	step := t.run.Step(t.Path())
	sub := t.run.Subagent(agui.SubagentStarted{
		SubagentRunID: t.record.SubagentRunID, Name: p.Name, Description: p.Description,
		ParentSubagentRunID: t.up.record.SubagentRunID, ParentToolCallID: t.call,
	})
	t.out, t.parentWriter, t.clientWriter, t.filtered = sub.Writer, sub.Writer, t.up.clientWriter, &filteredWriters{}
	if t.run == x.Run {
		t.out = t.through(sub.Writer, t.hooks)
		t.parentWriter, t.clientWriter = t.out, t.out
	}
	err := t.speak(agent)
	if err != nil && x.endCause() != nil {
		return err // whoever ended the run says how
	}
	pause := ask.PauseOf(err)
	if err != nil && pause == nil && t.outer.Err() != nil {
		err = &errcode.Error{Code: errcode.Cancelled, Err: err} // the turn this one is part of has failed elsewhere
	}
	complete := err == nil && !t.record.Declined
	if leaveErr := failure.Protect(func() error { return t.own.close(complete) }); err == nil { // it may call reducers
		err = failure.Coded(leaveErr)
	}
	err = t.closeOpen(err)
	if err != nil && x.endCause() != nil {
		return err
	}
	pause = ask.PauseOf(err)
	if pause == nil {
		err = failure.At(t.Path(), err)
	}
	switch {
	case pause != nil:
		t.wait(pause)
		return err
	case err != nil:
		return t.failed(err, sub, step)
	}
	if err := x.abandon(t.Path(), errcode.Cancelled); err != nil {
		return err
	}
	if err := conclude(); err != nil {
		return t.failed(failure.Coded(err), sub, step)
	}
	return failure.Coded(errors.Join(sub.Finish(nil), step.End()))
}

// speak lets agent work, in a private conversation if its output needs one.
func (t *Turn) speak(agent Agent) error {
	if !t.output.ownConversation() {
		return t.underTurnHooks(t.ctx, t.hooks, agent)
	}
	var kept *checkpointHook
	err := t.underTurnHooks(t.ctx, t.hooks, AgentFunc(func(ctx context.Context, t *Turn) (err error) {
		if kept, err = t.useBranch(t.visibility.shown(t), &t.record.Branch); err != nil {
			return err
		}
		return agent.Run(ctx, t)
	}))
	if kept != nil {
		t.x.removeHook(kept)
	}
	return err
}

// wait suspends the invocation, with the questions that it asked itself. Nested invocations name theirs.
func (t *Turn) wait(p *ask.Pause) {
	w := waiting{path: t.Path(), record: t.record, run: t.up.run, out: t.parentWriter, clientWriter: t.clientWriter}
	for _, i := range p.Interrupts {
		if i.SubagentRunID == w.out.SubagentRunID() {
			w.interrupts = append(w.interrupts, i.ID)
		}
	}
	t.x.suspend(w)
}

// failed ends an invocation that failed with err, and all it left open.
func (t *Turn) failed(err error, sub *run.Subagent, step *run.Step) error {
	code := errcode.Of(err)
	if endErr := t.x.abandon(t.Path(), code); endErr != nil {
		return endErr
	}
	again := t.participant.OnError.Again(t.record.Tries, err) && t.outer.Err() == nil
	if endErr := t.x.settleCalls(t.parentWriter, t.clientWriter, t.record, again); endErr != nil {
		return endErr
	}
	if endErr := errors.Join(sub.Fail(string(code), errcode.Public(err)), step.End()); endErr != nil {
		return fmt.Errorf("%w, and %w", err, endErr)
	}
	return err
}

// An ownScope is the state of a participant that is working, and not on its parent's state.
type ownScope struct {
	x      *execution
	scope  *document.Scope
	keeper *checkpointHook
}

// ownScope makes the scope that s describes within t, or continues the saved one, with inputs that are copied again
// unless the turn has begun. It is nil for a shared one.
func (t *Turn) ownScope(s Scoping, parent *document.Scope, saved savedState, begun bool) (*ownScope, error) {
	if s.Kind == ScopeShared {
		return nil, nil
	}
	m := s.Mapping
	if s.Kind == ScopeIsolated {
		m.Out = nil
	}
	raw := t.x.load(saved)
	scope, err := document.Mapped(parent, m, raw)
	switch {
	case err != nil && raw != nil:
		return nil, t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: scope: %w", t.Path(), err))
	case err != nil:
		return nil, fail(errcode.Internal, "%s: scope: %w", t.Path(), err)
	case raw != nil && !begun:
		if err := copyInputs(scope, parent, m.In); err != nil {
			return nil, failure.Coded(err)
		}
	}
	if raw == nil || !begun {
		if err := failure.Protect(func() error { return t.computeInputs(scope, parent, s.Inputs) }); err != nil {
			return nil, failure.Coded(err)
		}
	}
	return &ownScope{t.x, scope, t.x.addHook(func() { saved.set(scope.Save()) })}, nil
}

// copyInputs copies the inputs into a scope that lasts longer than a turn.
func copyInputs(scope, parent *document.Scope, in map[string]string) error {
	for name, from := range in {
		raw, ok := parent.Raw(from)
		if !ok {
			continue
		}
		if err := scope.Set(document.Pointer(name), raw); err != nil {
			return err
		}
	}
	return nil
}

// computeInputs puts what the functions return into a scope, by their names.
func (t *Turn) computeInputs(scope, parent *document.Scope, inputs map[string]func(View) (any, error)) error {
	if len(inputs) == 0 {
		return nil
	}
	v := t.view()
	v.State = parent
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		value, err := inputs[name](v)
		if err == nil {
			err = scope.Set(document.Pointer(name), value)
		}
		if err != nil {
			return fmt.Errorf("%s: input %q: %w", t.Path(), name, err)
		}
	}
	return nil
}

// close saves the state, and copies its outputs to the parent's if the turn is complete.
func (o *ownScope) close(complete bool) error {
	if o == nil {
		return nil
	}
	o.x.removeHook(o.keeper)
	if !complete {
		return nil
	}
	return o.scope.Finish()
}

// enterScope gives t the state its participant works on.
func (t *Turn) enterScope() error {
	p := t.participant
	own, err := t.ownScope(p.Scope, t.up.scope, t.saved, t.record.Begun)
	if err != nil {
		return err
	}
	t.own, t.scope = own, t.up.scope
	if own != nil {
		t.scope = own.scope
	}
	if p.Writes != nil {
		t.scope = t.scope.Restrict(p.Writes...)
	}
	return nil
}

// fail returns an error with the code that its run ends with. A format that begins with a turn's path drops that of a
// root agent, which is empty.
func fail(code errcode.Code, format string, args ...any) error {
	if rest, ok := strings.CutPrefix(format, "%s: "); ok && len(args) > 0 && args[0] == "" {
		format, args = rest, args[1:]
	}
	return &errcode.Error{Code: code, Err: fmt.Errorf("groupchat: "+format, args...)}
}

// verdict is the error of a turn with the errs of its goroutines: the first failure, or else all pauses joined, in the
// order in which their goroutines were started, so that the questions have the same order every time. A turn that has
// failed asks nothing.
func verdict(errs []returnedError) error {
	for _, e := range errs {
		if ask.PauseOf(e.err) == nil {
			return failure.Coded(e.err)
		}
	}
	slices.SortFunc(errs, func(a, b returnedError) int { return cmp.Compare(a.n, b.n) })
	var pauses []*ask.Pause
	for _, e := range errs {
		pauses = append(pauses, ask.PauseOf(e.err))
	}
	if p := ask.Join(pauses...); p != nil {
		return p
	}
	return nil
}
