package agui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// ErrPatch is returned for a patch that is malformed or does not apply.
var ErrPatch = errors.New("agui: the patch does not apply")

// Apply returns doc, a JSON object, with p applied strictly by RFC 6902, as a whole or not at all. Like the
// reference client it refuses names that lead to a JavaScript prototype, and a move to where nothing can be added
// before the value is taken from its place. It decodes and encodes the whole document. The error is [ErrPatch],
// also for a patch of more than 10,000 operations or with too much work to do. A context that is done ends the
// work; the error wraps its cause.
func (p Patch) Apply(ctx context.Context, doc json.RawMessage) (json.RawMessage, error) {
	out, err := p.apply(ctx, doc)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPatch, err)
	}
	return out, nil
}

func (p Patch) apply(ctx context.Context, doc json.RawMessage) (json.RawMessage, error) {
	v, err := jsonpatch.Parse(doc)
	if err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	root, ok := v.(map[string]any)
	if !ok || jsonpatch.Depth(v) > jsonpatch.MaxDepth {
		return nil, errors.New("the document is not an object, or nested too deep")
	}
	size := len(doc)
	for _, op := range p {
		size += len(op.Path) + len(op.From) + len(op.Value)
	}
	budget, err := jsonpatch.NewBudget(ctx, len(p), size)
	if err != nil {
		return nil, err
	}
	tree := jsonpatch.NewTree(root)
	change := jsonpatch.Change{Tree: &tree, Budget: budget, Strict: true}
	for i, op := range p {
		edit, err := jsonpatch.ReadEdit(jsonpatch.Op(op))
		if err == nil {
			err = change.Do(edit)
		}
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
	}
	return jsonpatch.Render(tree.Root), nil
}
