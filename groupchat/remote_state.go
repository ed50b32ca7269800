package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// A remoteShare is the part of our state in which a remote agent's lives.
type remoteShare struct {
	scope *document.Scope
	path  string
	// none says that it has no part of ours.
	none bool
	// theirs holds, at /s, what the remote's state is to the remote.
	theirs *document.Document
	copied int // bytes that patches have copied, before the last snapshot
}

// theirState bounds a state that grows by its own patches.
const theirState = 8 << 20

// theirCopies bounds the bytes that the copies of an answer's patches take together: each is a few bytes long and costs
// what it copies.
const theirCopies = 64 << 20

// errCopies is the error of an answer with patches that copy too much.
var errCopies = fmt.Errorf("%w: the patches of one answer copy more than %d bytes", document.ErrTooLarge, theirCopies)

// share returns the part of the turn's state that the remote works on.
func (r *Remote) share(t *Turn) (*remoteShare, error) {
	s := &remoteShare{scope: t.scope, path: r.o.State.Path, none: r.o.State.Path == "" && t.Path() != ""}
	return s, s.restart(s.sent())
}

// sent is the state in the request to the remote.
func (s *remoteShare) sent() json.RawMessage {
	if !s.none {
		if raw, ok := s.scope.Raw(s.path); ok {
			return raw
		}
	}
	return json.RawMessage("{}")
}

// restart makes raw the remote's state, whatever it was.
func (s *remoteShare) restart(raw json.RawMessage) error {
	if s.none {
		return nil
	}
	if s.theirs != nil {
		s.copied += s.theirs.Copied()
	}
	root, err := json.Marshal(map[string]json.RawMessage{"s": raw})
	if err == nil {
		s.theirs, err = document.New(root, document.Options{MaxSize: theirState})
	}
	return err
}

func (s *remoteShare) snapshot(ctx context.Context, raw json.RawMessage) error {
	if s.none {
		return nil
	}
	if err := s.restart(raw); err != nil {
		return err
	}
	return s.fold(ctx)
}

// delta folds a STATE_DELTA in. It reports whether the patch applies; one that does not changes nothing, as in every
// client.
func (s *remoteShare) delta(ctx context.Context, p agui.Patch) (applies bool, err error) {
	if s.none {
		return true, nil
	}
	err = s.theirs.Apply(ctx, rebased(p, "", "/s"))
	if s.copied+s.theirs.Copied() > theirCopies {
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

// unlessPatch is the error of a document that no client would have passed over.
func unlessPatch(err error) error {
	if errors.Is(err, document.ErrPatch) {
		return nil
	}
	return err
}

// fold makes our part what the remote's state is, past the reducers: it is the remote's to say. Only what differs is
// changed.
func (s *remoteShare) fold(ctx context.Context) error {
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

// rebased is a patch of the value at from as one of the value at to.
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
