package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// This is the one file that imports evanphx/json-patch, which applies patches from outside wherever its result is
// right, see docs/adr/0002. Other patches, and those that it refuses, are applied by package jsonpatch, which knows
// the operation at fault.

// applyEdits returns doc with edits applied. Copies may copy limit bytes in all. The error is an [*OutsideError].
func applyEdits(doc json.RawMessage, edits []jsonpatch.Edit, limit int) (json.RawMessage, error) {
	if !slices.ContainsFunc(edits, misread) {
		if out, err := applyLibrary(doc, edits, limit); err == nil {
			return normalize(out)
		}
	}
	root, err := jsonpatch.ParseObject(doc)
	if err != nil {
		return nil, err
	}
	budget, err := jsonpatch.NewBudget(context.Background(), 0, len(doc)) // the caller has counted the operations
	if err != nil {
		return nil, err
	}
	tree := jsonpatch.NewTree(root)
	c := jsonpatch.Change{Tree: &tree, Budget: budget, MaxCopied: limit}
	for i, e := range edits {
		if err := c.Do(e); err != nil {
			return nil, refusedBy(i, e, err, c.Copied() > limit, limit)
		}
	}
	return jsonpatch.Render(tree.Root), nil
}

// refusedBy returns the error of the operation with index i, which does not apply. Copied says that the copies are
// too large.
func refusedBy(i int, e jsonpatch.Edit, err error, copied bool, limit int) *OutsideError {
	pointer := Pointer(e.Path...)
	switch {
	case copied:
		return refusedOp(i, pointer, ErrTooLarge, fmt.Sprintf("the copies take more than %d bytes", limit))
	case errors.Is(err, jsonpatch.ErrSteps):
		return refusedOp(i, pointer, ErrTooLarge, "the patch takes too much work")
	case errors.Is(err, ErrTooLarge):
		return refusedOp(i, pointer, ErrTooLarge, "the state would be nested too deep")
	case e.Op == "test":
		return refusedOp(i, pointer, ErrPatch, "the test failed")
	}
	return refusedOp(i, pointer, ErrPatch, "the operation does not apply to the state as it is")
}

// misread reports whether the library might apply e in another way than RFC 6902 says: tests, the root, and tokens
// that it takes for an index of an array where RFC 6901 does not.
func misread(e jsonpatch.Edit) bool {
	loose := func(token string) bool { return len(token) > 1 && strings.ContainsRune("+-0", rune(token[0])) }
	return e.Op == "test" || len(e.Path) == 0 || slices.ContainsFunc(e.Path, loose) ||
		slices.ContainsFunc(e.From, loose)
}

// applyLibrary applies edits by the library. Copies may copy limit bytes.
func applyLibrary(doc json.RawMessage, edits []jsonpatch.Edit, limit int) (json.RawMessage, error) {
	p := make(agui.Patch, len(edits))
	for i, e := range edits {
		p[i] = agui.PatchOp(e.Encode())
	}
	raw, err := p.MarshalJSON()
	if err != nil {
		return nil, err
	}
	decoded, err := evanphx.DecodePatch(raw)
	if err != nil {
		return nil, err
	}
	o := evanphx.NewApplyOptions()
	// 0 would be no limit
	o.SupportNegativeIndices, o.AccumulatedCopySizeLimit, o.EscapeHTML = false, max(1, int64(limit)), false
	return decoded.ApplyWithOptions(doc, o)
}

// normalize returns doc, which the library wrote, as documents are written.
func normalize(doc json.RawMessage) (json.RawMessage, error) {
	root, err := jsonpatch.ParseObject(doc)
	switch {
	case errors.Is(err, ErrTooLarge):
		return nil, refused(ErrTooLarge, "the state would be nested too deep")
	case err != nil:
		return nil, err
	}
	return jsonpatch.Render(root), nil
}
