package groupchat

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A savedState is where a frame keeps the state of a participant that has its own. It is used with the lock held.
type savedState struct {
	get func() json.RawMessage
	set func(json.RawMessage)
}

// An ownScope is the state of a participant that has the floor and does not work on its parent's.
type ownScope struct {
	saved savedState
	scope *state.Scope
}

// enterScope gives t the state its participant works on.
func (t *Turn) enterScope() error {
	x, parent, p := t.x, t.up.scope, t.participant
	if p.Scope.Kind == ScopeShared {
		t.scope = p.restrict(parent)
		return nil
	}
	m := p.Scope.Mapping
	if p.Scope.Kind == ScopeIsolated {
		m.Out = nil
	}
	x.mu.Lock()
	saved := t.saved.get()
	x.mu.Unlock()
	scope, err := state.Mapped(parent, m, saved)
	switch {
	case err != nil && saved != nil:
		return x.fatal(fail(agui.CodeCheckpointIncompatible, "%s: scope: %w", t.Path(), err))
	case err != nil:
		return fail(agui.CodeInternal, "%s: scope: %w", t.Path(), err)
	case saved != nil && !t.frame.Begun:
		if err := renew(scope, parent, m.In); err != nil {
			return coded(err)
		}
	}
	t.scope, t.own = p.restrict(scope), scope
	x.mu.Lock()
	x.scopes = append(x.scopes, ownScope{t.saved, scope})
	x.mu.Unlock()
	return nil
}

// restrict leaves of scope what p may write.
func (p *Participant) restrict(scope *state.Scope) *state.Scope {
	if p.Writes == nil {
		return scope
	}
	return scope.Restrict(p.Writes...)
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
func (t *Turn) leaveScope(complete bool) error {
	if t.participant.Scope.Kind == ScopeShared {
		return nil
	}
	x := t.x
	x.mu.Lock()
	x.scopes = slices.DeleteFunc(x.scopes, func(s ownScope) bool {
		if s.scope != t.own {
			return false
		}
		s.saved.set(s.scope.Save())
		return true
	})
	x.mu.Unlock()
	if !complete {
		return nil
	}
	return t.own.Finish()
}
