package translate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// A State is the part of our state that belongs to a remote agent.
type State struct {
	scope *document.Scope
	path  string
	// none: the agent has no part of our state.
	none bool
	// theirs has, at /s, the state as the remote agent knows it.
	theirs *document.Document
	copied int // bytes that patches have copied, before the last snapshot
}

// maxState is the limit of a state, in bytes, which grows by its own patches.
const maxState = 8 << 20

// maxCopies is the limit of the bytes that all patches of one answer copy. Such a patch is short, and costs as much as
// it copies.
const maxCopies = 64 << 20

// errCopies is the error of an answer with patches that copy too much.
var errCopies = fmt.Errorf("%w: the patches of one answer copy more than %d bytes", document.ErrTooLarge, maxCopies)

// NewState returns the mirror of the value at path of scope. With none, the remote agent has no part of our state.
func NewState(scope *document.Scope, path string, none bool) (*State, error) {
	s := &State{scope: scope, path: path, none: none}
	return s, s.restart(s.Sent())
}

// Sent returns the state for the request to the remote agent.
func (s *State) Sent() json.RawMessage {
	if !s.none {
		if raw, ok := s.scope.Raw(s.path); ok {
			return raw
		}
	}
	return json.RawMessage("{}")
}

// restart replaces the state of the remote agent by raw.
func (s *State) restart(raw json.RawMessage) error {
	if s.none {
		return nil
	}
	if s.theirs != nil {
		s.copied += s.theirs.Copied()
	}
	root, err := json.Marshal(map[string]json.RawMessage{"s": raw})
	if err == nil {
		s.theirs, err = document.New(root, document.Options{MaxSize: maxState})
	}
	return err
}

// Snapshot replaces the state by raw.
func (s *State) Snapshot(ctx context.Context, raw json.RawMessage) error {
	if s.none {
		return nil
	}
	if err := s.restart(raw); err != nil {
		return err
	}
	return s.fold(ctx)
}

// Delta applies a patch. It reports whether the patch applies; one that does not changes nothing, as in every client.
func (s *State) Delta(ctx context.Context, p agui.Patch) (applies bool, err error) {
	if s.none {
		return true, nil
	}
	err = s.theirs.Apply(ctx, rebased(p, "", "/s"))
	if s.copied+s.theirs.Copied() > maxCopies {
		return false, errCopies
	}
	if err != nil {
		return false, unlessPatch(err)
	}
	if s.scope.Apply(ctx, rebased(p, "", s.path)) == nil {
		return true, nil
	}
	return true, s.fold(ctx) // ours is not what the remote's was
}

// unlessPatch returns err, or nil if it is about a patch that clients ignore.
func unlessPatch(err error) error {
	if errors.Is(err, document.ErrPatch) {
		return nil
	}
	return err
}

// fold writes the state of the remote agent to our part, past the reducers. Only differences are written.
func (s *State) fold(ctx context.Context) error {
	now, ok := s.theirs.Raw("/s")
	if !ok {
		now = json.RawMessage("null")
	}
	before, ok := s.scope.Raw(s.path)
	if !ok {
		return s.scope.Set(s.path, now)
	}
	patch, err := document.Diff(wrapped(before), wrapped(now))
	if err != nil || len(patch) == 0 {
		return err
	}
	err = s.scope.Apply(ctx, rebased(patch, "/s", s.path))
	if errors.Is(err, document.ErrTooLarge) { // one operation is less work
		err = s.scope.Apply(ctx, agui.Patch{{Op: "replace", Path: s.path, Value: now}})
	}
	return err
}

func wrapped(raw json.RawMessage) json.RawMessage {
	return append(append([]byte(`{"s":`), raw...), '}')
}

// rebased returns a patch of the value at from as a patch of the value at to.
func rebased(p agui.Patch, from, to string) agui.Patch {
	out := make(agui.Patch, len(p))
	for i, op := range p {
		op.Path = to + op.Path[len(from):]
		if op.From != "" || op.Op == "move" || op.Op == "copy" {
			op.From = to + op.From[len(from):]
		}
		out[i] = op
	}
	return out
}
