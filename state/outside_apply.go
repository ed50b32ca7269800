package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/patchcost"
)

// This is the one file that knows evanphx/json-patch, which applies the patches that others make. Its faults are kept
// away from it, see docs/adr/0002: it is never given a test, an empty name, a copy of the root, or an index with a sign or
// a leading zero, and its copies are bounded.

// An outside is a document on its way through the operations of an [OutsidePatch].
type outside struct {
	doc    json.RawMessage
	root   map[string]any // doc, once somebody has looked at it
	judged int
	limit  int // bytes by which copies may make doc longer
	copied int // bytes by which they have
}

// tree returns the document decoded.
func (a *outside) tree() (map[string]any, error) {
	if a.root == nil {
		root, err := parseObject(a.doc)
		if errors.Is(err, ErrTooLarge) {
			return nil, refused(ErrTooLarge, "the state would be nested too deep")
		}
		if err != nil {
			return nil, err
		}
		a.root = root
	}
	return a.root, nil
}

// applyAll gives the library as many operations at once as need no look at the document between them.
func (a *outside) applyAll(edits []edit) (json.RawMessage, error) {
	start := 0
	for i, e := range edits {
		if !judged(e) {
			continue
		}
		if err := a.run(edits[start:i], start); err != nil {
			return nil, err
		}
		if i > start {
			if a.judged++; a.judged > MaxJudged {
				return nil, refusedOp(i, Pointer(e.path...), ErrTooLarge, fmt.Sprintf("more than %d operations depend on what the ones before them came to", MaxJudged))
			}
		}
		done, err := a.judge(i, e)
		if err != nil {
			return nil, err
		}
		if start = i; done {
			start = i + 1
		}
	}
	if err := a.run(edits[start:], start); err != nil {
		return nil, err
	}
	root, err := a.tree()
	if err != nil {
		return nil, err
	}
	return renderJSON(root), nil
}

// judged reports whether an operation has to be looked at together with the document as it then is.
func judged(e edit) bool {
	return e.op == "test" || len(e.path) == 0 || slices.ContainsFunc(e.path, looseIndex) || slices.ContainsFunc(e.from, looseIndex)
}

// looseIndex reports whether the library might take a token for an index of an array that RFC 6901 does not allow as one.
func looseIndex(token string) bool {
	return len(token) > 1 && strings.ContainsRune("+-0", rune(token[0]))
}

// looseIn reports whether path leads into an array of the document by an index that is none.
func looseIn(root map[string]any, path []string) bool {
	for n, token := range path {
		holder, _ := find(root, path[:n])
		if _, is := holder.([]any); is && looseIndex(token) {
			return true
		}
	}
	return false
}

// looseBehindMove is looseIn for where a move puts what it has taken away, which may shift what its path leads to.
func looseBehindMove(root map[string]any, e edit) bool {
	t := tree{root: root}
	back, err := t.remove(e.from)
	if err != nil {
		return false // the library refuses it too
	}
	loose := looseIn(root, e.path)
	if _, err := t.add(back.path, back.value); err != nil {
		panic("state: a removed value has lost its place") // it has just been there
	}
	return loose
}

// judge makes an operation that the library is not given, and refuses what it would be wrong about. Done means that nothing
// of it is left to do.
func (a *outside) judge(i int, e edit) (done bool, err error) {
	root, err := a.tree()
	if err != nil {
		return false, err
	}
	pointer := Pointer(e.path...)
	const none = "there is nothing at an index of this spelling"
	switch {
	case looseIn(root, e.from):
		return false, refusedOp(i, Pointer(e.from...), ErrPatch, none)
	case looseIn(root, e.path), e.op == "move" && looseBehindMove(root, e):
		return false, refusedOp(i, pointer, ErrPatch, none)
	}
	switch {
	case e.op == "test":
		if v, ok := find(root, e.path); !ok || !patchcost.Equal(v, e.value) {
			return false, refusedOp(i, pointer, ErrPatch, "the test failed")
		}
		return true, nil
	case len(e.path) > 0:
		return false, nil
	}
	value := e.value // of the whole document
	if e.from != nil {
		ok := false
		if value, ok = find(root, e.from); !ok {
			return false, refusedOp(i, Pointer(e.from...), ErrPatch, "there is nothing to "+e.op)
		}
		if _, ok = value.(map[string]any); !ok {
			return false, refusedOp(i, pointer, ErrPatch, "the state must be an object")
		}
	}
	a.doc, a.root = renderJSON(value), nil
	return true, nil
}

// run applies edits, of which the first has the index first in the patch.
func (a *outside) run(edits []edit, first int) error {
	if len(edits) == 0 {
		return nil
	}
	out, added, err := applyLibrary(a.doc, edits, a.limit-a.copied)
	if err == nil {
		a.copied += max(0, len(out)-len(a.doc)-added)
		a.doc, a.root = out, nil
		return nil
	}
	// The library does not say which operation it was. It is the last one of the shortest beginning that fails.
	least, most := 1, len(edits)
	for least < most {
		mid := (least + most) / 2
		if _, _, other := applyLibrary(a.doc, edits[:mid], a.limit-a.copied); other != nil {
			most, err = mid, other
		} else {
			least = mid + 1
		}
	}
	failed := edits[least-1]
	if _, large := errors.AsType[*jsonpatch.AccumulatedCopySizeError](err); large {
		return refusedOp(first+least-1, Pointer(failed.path...), ErrTooLarge, fmt.Sprintf("the copies take more than %d bytes", a.limit))
	}
	return refusedOp(first+least-1, Pointer(failed.path...), ErrPatch, "the operation does not apply to the state as it is")
}

// applyLibrary is the door to the library. Copies may take at most limit bytes. Added is an upper bound of the bytes that the
// operations themselves bring.
func applyLibrary(doc json.RawMessage, edits []edit, limit int) (out json.RawMessage, added int, err error) {
	p := make(agui.Patch, len(edits))
	for i, e := range edits {
		p[i] = operation(e)
	}
	raw, err := p.MarshalJSON()
	if err != nil {
		return nil, 0, err
	}
	decoded, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return nil, 0, err
	}
	o := jsonpatch.NewApplyOptions()
	o.SupportNegativeIndices, o.AccumulatedCopySizeLimit, o.EscapeHTML = false, max(1, int64(limit)), false // 0 would be no limit
	out, err = decoded.ApplyWithOptions(doc, o)
	return out, len(raw), err
}
