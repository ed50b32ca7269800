package groupchat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// turn lets the speaker of the open turn work, and judges how that went. A nil error means the chat goes on.
func (r *chatRun) turn(ctx context.Context) error {
	frame := r.frame.Turn
	p := r.participant(frame.Speaker)
	if p == nil {
		return r.t.x.fatal(fail(agui.CodeCheckpointIncompatible, "%s: participant %q is gone", r.t.Path(), frame.Speaker))
	}
	for {
		err := r.attempt(p, frame)
		switch {
		case err == nil:
			return r.close(ctx, p, false)
		case pauseOf(err) != nil, r.t.x.over() != nil:
			return err
		}
		frame.failed(r.t.x)
		switch {
		case ctx.Err() != nil:
			return err // the turn this chat takes has failed elsewhere
		case frame.Tries <= p.OnError.Retries:
			r.t.x.Log.WarnContext(ctx, "groupchat: turn failed, trying again", "turn", frame.ID, "error", err)
		case p.OnError.Skip:
			r.t.x.Log.WarnContext(ctx, "groupchat: turn failed, going on without", "turn", frame.ID, "error", err)
			return r.close(ctx, p, true)
		default:
			return err
		}
	}
}

// attempt is one try of the turn as a step and a subagent on the wire (G4).
func (r *chatRun) attempt(p *Participant, frame *TurnFrame) error {
	t := r.t.child(p.Name)
	t.chat, t.participant, t.frame = r, p, frame
	if len(t.path) > maxDepth {
		return r.t.x.fatal(fail(agui.CodeNotConverged, "%s: nested deeper than %d", t.Path(), maxDepth))
	}
	if err := r.enterScope(t, p); err != nil {
		return err
	}
	t.announce()
	step := r.t.x.Run.As("").Step(t.Path())
	sub := r.t.x.Run.Subagent(agui.SubagentStarted{
		SubagentRunID: frame.SubagentRunID, Name: p.Name, Description: p.Description,
		ParentSubagentRunID: r.t.frame.SubagentRunID,
	})
	t.out = sub.Writer
	before := t.weigh()
	// The middleware is somebody's code, too: what it does, it does in the turn.
	err := t.run(AgentFunc(func(ctx context.Context, t *Turn) error { return r.wrap(p.Agent).Run(ctx, t) }))
	if err != nil && r.t.x.over() != nil {
		return err // how the run ends is for those to say who ended it
	}
	pause := pauseOf(err)
	if leaveErr := r.leaveScope(t, p, err == nil); err == nil {
		err = coded(leaveErr)
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
	if err := r.t.x.abandon(t.Path(), agui.CodeCancelled); err != nil {
		return err
	}
	r.judge(t, before)
	return coded(errors.Join(sub.Finish(nil), step.End()))
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
	w := waiting{path: t.Path(), frame: t.frame, invocation: t.frame.SubagentRunID}
	for _, i := range p.Interrupts {
		if i.SubagentRunID == w.invocation {
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
	again := t.frame.Tries < t.participant.OnError.Retries
	if endErr := t.x.settleCalls(sub.SubagentRunID(), t.frame, again); endErr != nil {
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
	f.SubagentRunID = ""
	f.Tries++
}

// A weight tells whether a turn did anything: by what was said so far, and the states it can change.
type weight struct {
	said        int
	shared, own json.RawMessage
}

func (t *Turn) weigh() weight {
	return weight{len(t.x.messages()), t.x.State.JSON(), t.scope.JSON()}
}

// judge remembers whether the turn that ended well did anything since before.
func (r *chatRun) judge(t *Turn, before weight) {
	now := t.weigh()
	idle := now.said == before.said && bytes.Equal(now.shared, before.shared) && bytes.Equal(now.own, before.own)
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	r.frame.Idle = ""
	if idle && !t.frame.Acted {
		r.frame.Idle = t.participant.Name
	}
}

// close ends the open turn and keeps what it came to. The next one starts from here whatever happens.
func (r *chatRun) close(ctx context.Context, p *Participant, failed bool) error {
	last := r.t.x.lastMessage()
	r.t.x.mu.Lock()
	ended := r.frame.Turn
	r.frame.Turn = nil
	r.frame.Last = p.Name
	r.frame.Seen = with(r.frame.Seen, p.Name, last)
	r.t.frame.Acted = r.t.frame.Acted || ended.Acted
	if ended.declined() {
		r.frame.Declined = with(r.frame.Declined, p.Name, r.frame.Declined[p.Name]+1)
	}
	if failed {
		r.frame.Failed = with(r.frame.Failed, p.Name, r.frame.Failed[p.Name]+1)
		r.frame.Idle = ""
	}
	if p.Scope.Kind == ScopeMapped {
		delete(r.frame.Scopes, p.Name) // the next turn begins with the inputs of its day
	}
	r.t.x.mu.Unlock()
	return r.t.x.commit(ctx)
}

// with returns m, or a new map, with value at key.
func with[V any](m map[string]V, key string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[key] = value
	return m
}

// declined reports whether a person called off a question of the turn's, or of one in it.
func (f *TurnFrame) declined() bool {
	for _, a := range f.Answers {
		if a.Status == agui.ResumeCancelled && !a.TimedOut {
			return true
		}
	}
	return f.Chat != nil && len(f.Chat.Declined) > 0
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
	if p.Scope.Kind == ScopeShared {
		t.scope = r.t.scope
		return nil
	}
	x, m := r.t.x, p.Scope.Mapping
	if p.Scope.Kind == ScopeIsolated {
		m.Out = nil
	}
	x.mu.Lock()
	saved := r.frame.Scopes[p.Name]
	x.mu.Unlock()
	scope, err := state.Mapped(r.t.scope, m, saved)
	switch {
	case err != nil && saved != nil:
		return x.fatal(fail(agui.CodeCheckpointIncompatible, "%s: scope: %w", t.Path(), err))
	case err != nil:
		return fail(agui.CodeInternal, "%s: scope: %w", t.Path(), err)
	case saved != nil && !t.frame.Begun:
		if err := renew(scope, r.t.scope, m.In); err != nil {
			return coded(err)
		}
	}
	t.scope = scope
	x.mu.Lock()
	x.scopes = append(x.scopes, ownScope{r.frame, p.Name, scope})
	x.mu.Unlock()
	return nil
}

// renew copies the inputs into a scope that lasts longer than a turn.
func renew(scope, parent *state.Scope, in map[string]string) error {
	for name, from := range in {
		raw, ok := parent.Raw(from)
		if !ok {
			continue
		}
		if err := scope.Set(state.Pointer(name), raw); err != nil {
			return err
		}
	}
	return nil
}

// leaveScope keeps a participant's own state, and copies its outputs out once the turn is complete.
func (r *chatRun) leaveScope(t *Turn, p *Participant, complete bool) error {
	if p.Scope.Kind == ScopeShared {
		return nil
	}
	x := r.t.x
	x.mu.Lock()
	x.scopes = slices.DeleteFunc(x.scopes, func(s ownScope) bool {
		if s.scope != t.scope {
			return false
		}
		s.save()
		return true
	})
	x.mu.Unlock()
	if !complete {
		return nil
	}
	return t.scope.Finish()
}
