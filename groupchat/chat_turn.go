package groupchat

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// child makes the turn of the one called name below t.
func (x *execution) child(t *Turn, name string) *Turn {
	return &Turn{x: x, ctx: t.ctx, path: append(slices.Clone(t.path), name)}
}

// turn lets the speaker of the open turn work, and judges how that went. A nil error means the chat goes on.
func (r *chatRun) turn(ctx context.Context) error {
	frame := r.frame.Turn
	p := r.participant(frame.Speaker)
	if p == nil {
		return fail(agui.CodeCheckpointIncompatible, "%s: participant %q is gone", r.t.Path(), frame.Speaker)
	}
	for try := 0; ; try++ {
		err := r.attempt(ctx, p, frame, try)
		switch {
		case err == nil:
			return r.close(ctx, p, false)
		case pauseOf(err) != nil, interrupted(ctx, err):
			return err
		case try < p.OnError.Retries:
			continue
		case p.OnError.Skip:
			return r.close(ctx, p, true)
		default:
			return err
		}
	}
}

// attempt is one try of the turn as a step and a subagent on the wire (G4).
func (r *chatRun) attempt(ctx context.Context, p *Participant, frame *TurnFrame, try int) error {
	t := r.t.x.child(r.t, p.Name)
	t.chat, t.participant, t.frame = r, p, frame
	if err := r.enterScope(t, p); err != nil {
		return err
	}
	t.announceAs(try)
	step := r.t.x.Run.As("").Step(t.Path())
	sub := r.t.x.Run.Subagent(agui.SubagentStarted{
		SubagentRunID: frame.SubagentRunID, Name: p.Name, Description: p.Description,
		ParentSubagentRunID: r.t.frame.SubagentRunID,
	})
	t.out = sub.Writer
	said, before := r.weight()

	err := t.run(r.wrap(p.Agent))

	pause := pauseOf(err)
	if err != nil && pause == nil && interrupted(ctx, err) {
		return err // how the run ends is for those to say who ended it
	}
	if saveErr := r.leaveScope(t, p, pause == nil && err == nil); saveErr != nil && err == nil {
		err = saveErr
	}
	if closeErr := t.out.CloseOpen(); closeErr != nil {
		return closeErr
	}
	switch {
	case pause != nil:
		r.t.x.suspend(suspended(pause, frame.SubagentRunID), &agui.StepFinished{StepName: t.Path()})
		return err
	case err != nil:
		code := agui.CodeOf(err)
		if failErr := sub.Fail(string(code), code.Message()); failErr != nil {
			return failErr
		}
		if endErr := step.End(); endErr != nil {
			return endErr
		}
		return err
	}
	saidNow, after := r.weight()
	r.t.x.mu.Lock()
	r.frame.Idle = ""
	if saidNow == said && bytes.Equal(after, before) {
		r.frame.Idle = p.Name
	}
	r.t.x.mu.Unlock()
	if err := sub.Finish(nil); err != nil {
		return err
	}
	return step.End()
}

// announceAs gives the turn the id its invocation has on the wire: the same again when it was paused, a new
// one when it is repeated.
func (t *Turn) announceAs(try int) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if t.frame.SubagentRunID == "" || try > 0 {
		t.frame.SubagentRunID = "sub_" + t.x.NewID()
	}
}

// weight tells whether a turn did anything: by what was said so far, and the state.
func (r *chatRun) weight() (int, json.RawMessage) { return len(r.t.x.messages()), r.t.x.State.JSON() }

// close ends the open turn and keeps what it came to. The next one starts from here whatever happens.
func (r *chatRun) close(ctx context.Context, p *Participant, failed bool) error {
	messages := r.t.x.messages()
	r.t.x.mu.Lock()
	r.frame.Turn = nil
	r.frame.Last = p.Name
	if len(messages) > 0 {
		if r.frame.Seen == nil {
			r.frame.Seen = map[string]string{}
		}
		r.frame.Seen[p.Name] = messages[len(messages)-1].ID
	}
	if failed {
		if r.frame.Failed == nil {
			r.frame.Failed = map[string]int{}
		}
		r.frame.Failed[p.Name]++
		r.frame.Idle = ""
	}
	r.t.x.mu.Unlock()
	return r.t.x.commit(ctx)
}

// wrap puts the chat's middleware around agent.
func (r *chatRun) wrap(agent Agent) Agent {
	for _, m := range slices.Backward(r.Middleware) {
		agent = m(agent)
	}
	return agent
}

// enterScope gives t the state its participant works on.
func (r *chatRun) enterScope(t *Turn, p *Participant) error {
	saved := r.frame.Scopes[p.Name]
	var err error
	switch p.Scope.Kind {
	case ScopeIsolated:
		t.scope, err = state.Isolated(saved, state.DocumentOptions{})
	case ScopeMapped:
		t.scope, err = state.Mapped(r.t.scope, p.Scope.Mapping, saved)
	default:
		t.scope = r.t.scope
	}
	return err
}

// leaveScope keeps a participant's own state, and copies its outputs out once the turn is complete.
func (r *chatRun) leaveScope(t *Turn, p *Participant, complete bool) error {
	if p.Scope.Kind == ScopeShared {
		return nil
	}
	if complete {
		if err := t.scope.Finish(); err != nil {
			return err
		}
	}
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	if r.frame.Scopes == nil {
		r.frame.Scopes = map[string]json.RawMessage{}
	}
	r.frame.Scopes[p.Name] = t.scope.Save()
	return nil
}

// suspended ends an invocation that waits. It names the questions it asked itself; those of nested ones are
// theirs to name.
func suspended(p *Pause, subagentRunID string) agui.Event {
	outcome := &agui.SubagentOutcome{Type: agui.OutcomeSuspended}
	for _, i := range p.Interrupts {
		if i.SubagentRunID == subagentRunID {
			outcome.InterruptIDs = append(outcome.InterruptIDs, i.ID)
		}
	}
	return &agui.SubagentFinished{SubagentRunID: subagentRunID, Outcome: outcome}
}
