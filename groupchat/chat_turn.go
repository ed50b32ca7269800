package groupchat

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// turn lets the speaker of the open turn work, and judges how that went. A nil error means the chat goes on.
func (r *chatRun) turn(ctx context.Context) error {
	frame := r.frame.Turn
	p := r.participant(frame.Speaker)
	if p == nil {
		return r.t.x.fatal(fail(agui.CodeCheckpointIncompatible, "%s: participant %q is gone", r.t.Path(), frame.Speaker))
	}
	skipped, err := r.t.persist(ctx, p, frame, func() error { return r.attempt(p, frame) })
	if err != nil {
		return err
	}
	return r.close(ctx, p, skipped)
}

// attempt is one try of the turn.
func (r *chatRun) attempt(p *Participant, frame *TurnFrame) error {
	t := r.t.child(p.Name)
	t.begin(frame)
	t.chat, t.participant = r, p
	t.saved = savedState{
		get: func() json.RawMessage { return r.frame.Scopes[p.Name] },
		set: func(raw json.RawMessage) { r.frame.Scopes = with(r.frame.Scopes, p.Name, raw) },
	}
	var before weight
	// The middleware is somebody's code, too: what it does, it does in the turn.
	err := t.take(AgentFunc(func(ctx context.Context, t *Turn) error {
		before = t.weigh()
		return r.wrap(p.Agent).Run(ctx, t)
	}), func() error { r.judge(t, before); return nil })
	if err != nil && pauseOf(err) == nil {
		t.Goto("") // the next try decides for itself
	}
	return err
}

// A weight tells whether a turn did anything: by what was said so far, and the states it can change.
type weight struct {
	said        int
	shared, own int // revisions of the states
}

func (t *Turn) weigh() weight {
	said := 0
	t.run.Inspect(func(v *agui.View) { said = v.Joined() })
	return weight{said, t.x.State.Rev(), t.scope.Rev()}
}

// judge remembers whether the turn that ended well did anything since before.
func (r *chatRun) judge(t *Turn, before weight) {
	now := t.weigh()
	idle := now == before
	r.t.x.mu.Lock()
	defer r.t.x.mu.Unlock()
	r.frame.Idle = ""
	if idle && !t.frame.Acted {
		r.frame.Idle = t.participant.Name
	}
}

// close ends the open turn and keeps what it came to. The next one starts from here whatever happens.
func (r *chatRun) close(ctx context.Context, p *Participant, failed bool) error {
	last := r.t.lastMessage()
	r.t.x.mu.Lock()
	ended := r.frame.Turn
	r.frame.Turn = nil
	if r.frame.Last != p.Name {
		r.frame.InARow = 0
	}
	r.frame.InARow++
	r.frame.Last, r.frame.Since = p.Name, ended.After
	r.frame.Seen = with(r.frame.Seen, p.Name, last)
	r.t.inherit(ended)
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
	return r.t.commit(ctx)
}

// with returns m, or a new map, with value at key.
func with[V any](m map[string]V, key string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[key] = value
	return m
}

// wrap puts the chat's middleware around agent.
func (r *chatRun) wrap(agent Agent) Agent {
	for _, m := range slices.Backward(r.Middleware) {
		agent = m(agent)
	}
	return agent
}
