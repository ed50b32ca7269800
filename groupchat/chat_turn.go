package groupchat

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
)

// turn runs the open turn and closes it. After a nil error the chat continues.
func (r *chatRun) turn(ctx context.Context) error {
	record := r.record.Turn
	p := r.speaker(record.Speaker)
	if p == nil {
		return r.t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: participant %q is gone", r.t.Path(),
			record.Speaker))
	}
	skipped, err := r.t.retry(ctx, p, record, func() error { return r.attempt(p, record) })
	if err != nil {
		return err
	}
	return r.close(ctx, p, skipped)
}

func (r *chatRun) attempt(p *Participant, record *turnRecord) error {
	t := r.t.child(p.Name)
	t.begin(record)
	t.chat, t.participant = r, p
	t.saved = savedState{
		get: func() json.RawMessage { return r.record.Scopes[p.Name] },
		set: func(raw json.RawMessage) { r.record.Scopes = with(r.record.Scopes, p.Name, raw) },
	}
	var before progressMark
	// Middleware runs within the turn: what it does counts as the turn's.
	err := t.try(AgentFunc(func(ctx context.Context, t *Turn) error {
		before = t.progress()
		return r.wrap(p.Agent).Run(ctx, t)
	}), func() error { r.noteIdle(t, before); return nil })
	if err != nil && pauseOf(err) == nil {
		t.Goto("") // the next try decides for itself
	}
	return err
}

// A progressMark tells whether a turn did anything: by the messages so far, and the states it can change.
type progressMark struct {
	said        int
	shared, own int // revisions of the states
}

func (t *Turn) progress() progressMark {
	said := 0
	t.run.Inspect(func(v *run.View) { said = v.Joined() })
	return progressMark{said, t.x.State.Rev(), t.scope.Rev()}
}

// noteIdle remembers whether the turn that ended well did anything since before.
func (r *chatRun) noteIdle(t *Turn, before progressMark) { r.setIdle(t, t.progress() == before) }

// close ends the open turn, records its result and commits. A takeover after this begins with the next turn.
func (r *chatRun) close(ctx context.Context, p *Participant, failed bool) error {
	last := r.t.lastMessage()
	_, own := p.Agent.(speakingSupervisor)
	var saved json.RawMessage
	if own {
		var err error
		if saved, err = r.snapshot(); err != nil {
			return err
		}
	}
	r.closeTurn(p, own, saved, last, failed)
	return r.t.commit(ctx)
}

// with returns m, or a new map, with value at key.
func with[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}

func (r *chatRun) wrap(agent Agent) Agent {
	for _, m := range slices.Backward(r.Middleware) {
		agent = m(agent)
	}
	return agent
}
