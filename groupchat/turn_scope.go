package groupchat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

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
			return nil, coded(err)
		}
	}
	if raw == nil || !begun {
		if err := protect(func() error { return t.computeInputs(scope, parent, s.Inputs) }); err != nil {
			return nil, coded(err)
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
