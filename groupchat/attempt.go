package groupchat

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
)

// persist tries the turn of frame, which is part of t, as often as p's policy says. It reports whether the turn failed
// and the policy passes over that.
func (t *Turn) persist(ctx context.Context, p *Participant, frame *TurnFrame, attempt func() error) (skipped bool, err error) {
	for {
		err := attempt()
		if err == nil || pauseOf(err) != nil || t.x.over() != nil {
			return false, err
		}
		again := p.OnError.again(frame.Tries, err)
		frame.failed(t.x)
		switch {
		case ctx.Err() != nil:
			return false, err // as above it
		case again:
			t.x.Log.WarnContext(ctx, "groupchat: turn failed, trying again", "turn", frame.ID, "error", err)
			if !p.OnError.wait(ctx, frame.Tries) {
				return false, err
			}
		case p.OnError.Skip:
			t.x.Log.WarnContext(ctx, "groupchat: turn failed, going on without", "turn", frame.ID, "error", err)
			return true, nil
		default:
			return false, err
		}
	}
}

// take is one try of the turn as a step and a subagent on the wire (G4). Conclude is called when the agent is done, before
// that is told.
func (t *Turn) take(agent Agent, conclude func() error) error {
	x, p := t.x, t.participant
	if len(t.path) > maxDepth {
		return x.fatal(fail(agui.CodeNotConverged, "%s: nested deeper than %d", t.Path(), maxDepth))
	}
	if err := t.enterScope(); err != nil {
		return err
	}
	t.announce()
	step := t.run.As("").Step(t.Path())
	sub := t.run.Subagent(agui.SubagentStarted{
		SubagentRunID: t.frame.SubagentRunID, Name: p.Name, Description: p.Description,
		ParentSubagentRunID: t.up.frame.SubagentRunID, ParentToolCallID: t.call,
	})
	t.out, t.shell, t.face = sub.Writer, sub.Writer, t.up.face
	if t.run == x.Run {
		t.face = sub.Writer
	}
	err := t.speak(agent)
	if err != nil && x.over() != nil {
		return err // how the run ends is for those to say who ended it
	}
	pause := pauseOf(err)
	if err != nil && pause == nil && t.outer.Err() != nil {
		err = &agui.Error{Code: agui.CodeCancelled, Err: err} // the turn this one is part of has failed elsewhere
	}
	complete := err == nil
	if leaveErr := protect(func() error { return t.own.leave(complete) }); err == nil { // it may call reducers
		err = coded(leaveErr)
	}
	if pause == nil && err != nil {
		err = at(t.Path(), t.leftOpen(err))
	}
	if closeErr := t.out.CloseOpen(); closeErr != nil {
		return closeErr
	}
	switch {
	case pause != nil:
		t.wait(pause)
		return err
	case err != nil:
		return t.failed(err, sub, step)
	}
	if err := x.abandon(t.Path(), agui.CodeCancelled); err != nil {
		return err
	}
	if err := conclude(); err != nil {
		return t.failed(coded(err), sub, step)
	}
	return coded(errors.Join(sub.Finish(nil), step.End()))
}

// speak gives agent the floor, in a conversation of its own if that is what becomes of its output.
func (t *Turn) speak(agent Agent) error {
	if !t.output.outOfSight() {
		return t.work(agent)
	}
	var kept *keeper
	err := t.work(AgentFunc(func(ctx context.Context, t *Turn) (err error) {
		if kept, err = t.retreat(t.sight.shown(t), &t.frame.Branch); err != nil {
			return err
		}
		return agent.Run(ctx, t)
	}))
	if kept != nil {
		t.x.release(kept)
	}
	return err
}

// announce gives the turn the id its invocation has on the wire: the same again when it was paused, a new one when it
// is repeated.
func (t *Turn) announce() {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.frame.Begun = true
	if t.frame.SubagentRunID == "" {
		t.frame.SubagentRunID = "sub_" + t.x.NewID()
	}
}

// wait suspends the invocation. It names the questions it asked itself; those of nested ones are theirs to name.
func (t *Turn) wait(p *Pause) {
	w := waiting{path: t.Path(), frame: t.frame, run: t.up.run, out: t.shell, face: t.face}
	for _, i := range p.Interrupts {
		if i.SubagentRunID == w.out.SubagentRunID() {
			w.interrupts = append(w.interrupts, i.ID)
		}
	}
	t.x.suspend(w)
}

// failed ends an invocation that failed with err, and all it left open.
func (t *Turn) failed(err error, sub *agui.Subagent, step *agui.Step) error {
	code := agui.CodeOf(err)
	if endErr := t.x.abandon(t.Path(), code); endErr != nil {
		return endErr
	}
	again := t.participant.OnError.again(t.frame.Tries, err) && t.outer.Err() == nil
	if endErr := t.x.settleCalls(sub.Writer, t.face, t.frame, again); endErr != nil {
		return endErr
	}
	if endErr := errors.Join(sub.Fail(string(code), public(err)), step.End()); endErr != nil {
		return fmt.Errorf("%w, and %w", err, endErr)
	}
	return err
}

// failed counts a try that came to nothing. The next one is another invocation.
func (f *TurnFrame) failed(x *execution) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f.retire()
	f.Tries++
}

// inherit takes over what a turn that ended in t leaves behind. The lock is held.
func (t *Turn) inherit(ended *TurnFrame) {
	t.frame.Acted = t.frame.Acted || ended.Acted
	if t.owned {
		ended.retire()
		t.frame.Past = append(t.frame.Past, ended.Past...)
	}
}
