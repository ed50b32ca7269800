package document

import (
	"encoding/json"
	"iter"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// Errors of documents and their patches.
var (
	// ErrPatch is returned for a patch that is malformed or does not apply.
	ErrPatch = jsonpatch.ErrPatch
	// ErrTooLarge is returned when a change would take a document over its limits, or copies more than 8 MiB.
	ErrTooLarge = jsonpatch.ErrTooLarge
	// ErrPointer is returned for a pointer that RFC 6901 does not allow, or that has no meaning for a method, such
	// as the removal of "".
	ErrPointer = jsonpatch.ErrPointer
	// ErrNotFound is returned when a pointer leads nowhere.
	ErrNotFound = jsonpatch.ErrNotFound
	// ErrValue is returned for a value that is not JSON, or JSON of the wrong kind.
	ErrValue = jsonpatch.ErrValue
)

// MaxDepth is how deep the values of a [Document] may nest. Request bodies are held to half of it, so only an agent
// can reach it.
const MaxDepth = jsonpatch.MaxDepth

// Pointer returns the JSON Pointer (RFC 6901) of tokens, each the name of a member or the index of an element.
// Without tokens it is "", the whole document.
func Pointer(tokens ...string) string { return jsonpatch.Pointer(tokens...) }

// CheckPointer reports why pointer is no JSON Pointer (RFC 6901).
func CheckPointer(pointer string) error {
	_, err := jsonpatch.ParsePointer(pointer)
	return err
}

// Diff returns a patch that turns old into new, both objects (nothing and null are empty ones), and nil if
// they are equal. It applies strictly wherever it is applied: no parent is missing, nothing absent is
// replaced, "-" only appends. The same input gives the same patch. Its cost grows with the two documents;
// [Document.Set] is cheaper where the place of the change is known.
func Diff(old, new json.RawMessage) (agui.Patch, error) {
	a, err := jsonpatch.ParseObject(old)
	if err != nil {
		return nil, err
	}
	b, err := jsonpatch.ParseObject(new)
	if err != nil {
		return nil, err
	}
	var p agui.Patch
	tree := jsonpatch.NewTree(a)
	c := jsonpatch.Change{Tree: &tree, Send: func(op jsonpatch.Op) { p = append(p, agui.PatchOp(op)) }}
	if err := c.Apply(jsonpatch.Diff(nil, a, b), 0); err != nil {
		return nil, err
	}
	return p, nil
}

// editsOf decodes the pointers and values of p.
func editsOf(p agui.Patch) ([]jsonpatch.Edit, error) {
	edits := make([]jsonpatch.Edit, len(p))
	var err error
	for i, op := range p {
		if edits[i], err = jsonpatch.ReadEdit(jsonpatch.Op(op)); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

// collect returns ops as a patch.
func collect(ops iter.Seq[jsonpatch.Op]) agui.Patch {
	p := agui.Patch{}
	for op := range ops {
		p = append(p, agui.PatchOp(op))
	}
	return p
}

// sizeOp returns the length of op's JSON.
func sizeOp(op agui.PatchOp) int {
	n := len(`{"op":"","path":}`) + len(op.Op) + jsonscan.QuotedLen(op.Path)
	switch op.Op {
	case "add", "replace", "test":
		n += len(`,"value":`) + len(op.Value)
	case "move", "copy":
		n += len(`,"from":`) + jsonscan.QuotedLen(op.From)
	}
	return n
}

// sizePatch returns the length of p's JSON.
func sizePatch(p agui.Patch) int {
	n := len("[]") + max(0, len(p)-1)
	for _, op := range p {
		n += sizeOp(op)
	}
	return n
}
