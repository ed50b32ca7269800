package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// An OutsidePatch is a change of a thread's state from outside of its runs: a JSON Patch (RFC 6902)
// or, with Merge, a JSON Merge Patch (RFC 7396).
type OutsidePatch struct {
	Merge bool            `json:"merge,omitempty"`
	Body  json.RawMessage `json:"body"`
}

// An OutsideError says why an [OutsidePatch] is refused. Err is one of [ErrValue] and [ErrPointer] for a patch that is
// malformed, [ErrPatch] for one that does not apply to the state as it is, [ErrForbidden] and [ErrTooLarge].
type OutsideError struct {
	Op      int    // the index of the operation at fault, from 0; negative if it is no single one's
	Pointer string // where that operation leads
	Problem string // quotes no value of the state or the patch
	Err     error
}

// Error returns the problem and its place.
func (e *OutsideError) Error() string {
	if e.Op < 0 {
		return fmt.Sprintf("%v: %s", e.Err, e.Problem)
	}
	return fmt.Sprintf("%v: operation %d, %q: %s", e.Err, e.Op, e.Pointer, e.Problem)
}

// Unwrap returns Err.
func (e *OutsideError) Unwrap() error { return e.Err }

// Code returns the error code for clients.
func (e *OutsideError) Code() errcode.Code {
	switch {
	case errors.Is(e.Err, ErrForbidden):
		return errcode.Forbidden
	case errors.Is(e.Err, ErrTooLarge):
		return errcode.TooLarge
	case errors.Is(e.Err, ErrPatch):
		return errcode.PatchFailed
	}
	return errcode.InvalidInput
}

func refused(err error, problem string) *OutsideError {
	return &OutsideError{Op: -1, Problem: problem, Err: err}
}

func refusedOp(op int, pointer string, err error, problem string) *OutsideError {
	return &OutsideError{Op: op, Pointer: pointer, Problem: problem, Err: err}
}

// Check returns the problem of p for any state: an [*OutsideError], or nil. A patch of more than most
// operations is too large; 0 is no limit.
func (p OutsidePatch) Check(most int) error {
	if p.Merge {
		_, err := p.members()
		return err
	}
	_, err := p.operations(most)
	return err
}

// members reads a merge patch.
func (p OutsidePatch) members() (map[string]any, error) {
	v, err := p.parse()
	if err != nil {
		return nil, err
	}
	members, ok := v.(map[string]any)
	if !ok {
		return nil, refused(ErrValue, "the patch is not an object, as the state is")
	}
	return members, nil
}

// parse reads the body. What it adds may nest as deep as a document, within an operation in a list.
func (p OutsidePatch) parse() (any, error) {
	const wrapping = 2
	v, err := jsonpatch.Parse(p.Body)
	switch {
	case err != nil:
		return nil, refused(ErrValue, "the patch is not valid JSON")
	case jsonpatch.Depth(v) > MaxDepth+wrapping:
		return nil, refused(ErrTooLarge, "the patch is nested too deep")
	}
	return v, nil
}

// operations reads a JSON Patch. Members that RFC 6902 does not know are ignored, as it says.
func (p OutsidePatch) operations(most int) ([]jsonpatch.Edit, error) {
	v, err := p.parse()
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, refused(ErrValue, "the patch is not an array of operations")
	}
	if most > 0 && len(list) > most {
		return nil, refused(ErrTooLarge, fmt.Sprintf("the patch has %d operations, %d are allowed", len(list), most))
	}
	edits := make([]jsonpatch.Edit, len(list))
	for i, item := range list {
		members, ok := item.(map[string]any)
		if !ok {
			return nil, refusedOp(i, "", ErrValue, "the operation is not an object")
		}
		if edits[i], err = readOperation(i, members); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

// readOperation reads the operation with index i.
func readOperation(i int, members map[string]any) (e jsonpatch.Edit, err error) {
	path, ok := members["path"].(string)
	if !ok {
		return e, refusedOp(i, "", ErrValue, "path is missing or is not a text")
	}
	if e.Path, err = outsidePointer(i, path); err != nil {
		return e, err
	}
	e.Op, _ = members["op"].(string)
	switch e.Op {
	case "add", "replace", "test":
		if e.Value, ok = members["value"]; !ok {
			return e, refusedOp(i, path, ErrValue, "value is missing")
		}
	case "move", "copy":
		from, ok := members["from"].(string)
		if !ok {
			return e, refusedOp(i, path, ErrValue, "from is missing or is not a text")
		}
		if e.From, err = outsidePointer(i, from); err != nil {
			return e, err
		}
		if len(e.From) == 0 {
			return e, refusedOp(i, path, ErrPointer, "the whole state cannot be moved or copied")
		}
		if e.Op == "move" && jsonpatch.Inside(e.Path, e.From) {
			return e, refusedOp(i, path, ErrPointer, "a value cannot be moved into itself")
		}
	case "remove":
		if len(e.Path) == 0 {
			return e, refusedOp(i, path, ErrPointer, "the whole state cannot be removed")
		}
	default:
		return e, refusedOp(i, path, ErrValue, "op is none of add, remove, replace, move, copy and test")
	}
	if _, object := e.Value.(map[string]any); len(e.Path) == 0 && !object && (e.Op == "add" || e.Op == "replace") {
		return e, refusedOp(i, path, ErrValue, "the state must be an object")
	}
	return e, nil
}

// outsidePointer reads a pointer of an outside patch. The library loses its way at names that are empty.
func outsidePointer(i int, pointer string) ([]string, error) {
	path, err := jsonpatch.ParsePointer(pointer)
	if err != nil {
		return nil, refusedOp(i, pointer, ErrPointer, "this is not a JSON Pointer")
	}
	if slices.Contains(path, "") {
		return nil, refusedOp(i, pointer, ErrPointer, "names that are empty cannot be addressed")
	}
	return path, nil
}

// apply returns doc, an object, with p applied to it: all of it, or an [*OutsideError]. Writable lists the pointers at
// and below which p may write; nil means everywhere. Copies may copy maxSize bytes, and 8 MiB at most; 0 means 8 MiB.
func (p OutsidePatch) apply(doc json.RawMessage, writable []string, maxSize int) (json.RawMessage, error) {
	if len(doc) == 0 {
		doc = json.RawMessage("{}")
	}
	limit := jsonpatch.MaxCopied
	if maxSize > 0 {
		limit = min(limit, maxSize)
	}
	var edits []jsonpatch.Edit
	var err error
	if p.Merge {
		edits, err = p.merged(doc)
	} else {
		edits, err = p.operations(0)
	}
	if err != nil {
		return nil, err
	}
	for i, e := range edits {
		if err := mayWrite(i, e, writable); err != nil {
			return nil, err
		}
	}
	return applyEdits(doc, edits, limit)
}

// mayWrite checks where an operation writes.
func mayWrite(i int, e jsonpatch.Edit, writable []string) error {
	if writable == nil || e.Op == "test" {
		return nil
	}
	pointers := []string{Pointer(e.Path...)}
	if e.Op == "move" {
		pointers = append(pointers, Pointer(e.From...))
	}
	for _, pointer := range pointers {
		if !slices.ContainsFunc(writable, func(top string) bool { return jsonpatch.Below(pointer, top) }) {
			return refusedOp(i, pointer, ErrForbidden, "the state is not writable there")
		}
	}
	return nil
}

// merged returns the operations that a merge patch comes to. The library's own merge drops members that are null
// inside of arrays, which RFC 7396 keeps.
func (p OutsidePatch) merged(doc json.RawMessage) ([]jsonpatch.Edit, error) {
	members, err := p.members()
	if err != nil {
		return nil, err
	}
	root, err := jsonpatch.ParseObject(doc)
	if err != nil {
		return nil, err
	}
	edits := mergeEdits(nil, root, members)
	for _, e := range edits {
		if slices.Contains(e.Path, "") {
			return nil, &OutsideError{Op: -1, Pointer: Pointer(e.Path...),
				Problem: "names that are empty cannot be addressed", Err: ErrPointer}
		}
	}
	return edits, nil
}

// mergeEdits are the operations by which patch changes target, which is at path.
func mergeEdits(path []string, target, patch map[string]any) []jsonpatch.Edit {
	var edits []jsonpatch.Edit
	for _, name := range jsonpatch.SortedKeys(patch) {
		at := append(slices.Clone(path), name)
		old, had := target[name]
		inner, isObject := patch[name].(map[string]any)
		oldInner, wasObject := old.(map[string]any)
		switch {
		case isObject && wasObject:
			edits = append(edits, mergeEdits(at, oldInner, inner)...)
		case isObject:
			edits = append(edits, jsonpatch.Edit{Op: "add", Path: at, Value: withoutNulls(inner)})
		case patch[name] != nil:
			edits = append(edits, jsonpatch.Edit{Op: "add", Path: at, Value: patch[name]})
		case had:
			edits = append(edits, jsonpatch.Edit{Op: "remove", Path: at})
		}
	}
	return edits
}

// withoutNulls returns patch without its null members, which remove nothing from an empty object.
func withoutNulls(patch map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range patch {
		if inner, ok := v.(map[string]any); ok {
			out[name] = withoutNulls(inner)
		} else if v != nil {
			out[name] = v
		}
	}
	return out
}
