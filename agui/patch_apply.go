package agui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/internal/patchcost"
)

// ErrPatch is returned for a patch that is malformed or does not apply.
var ErrPatch = errors.New("agui: the patch does not apply")

// The bounds of a patch: what its copies may add up to in bytes, and how deep the document may nest afterwards. Without
// them a few hundred bytes of patch double a document until memory is gone.
const (
	maxPatchCopied = 8 << 20
	maxPatchDepth  = 128
)

// Apply returns doc, a JSON object, with p applied strictly by RFC 6902, as a whole or not at all. Like the reference
// client it refuses names that lead to a JavaScript prototype, and a move to where nothing can be added before the value is
// taken from its place. It decodes and encodes the whole document. The error is [ErrPatch], also for a patch of more than
// 10,000 operations or with too much work to do. A context that is done ends the work; the error wraps its cause.
func (p Patch) Apply(ctx context.Context, doc json.RawMessage) (json.RawMessage, error) {
	size := len(doc)
	for _, op := range p {
		size += len(op.Path) + len(op.From) + len(op.Value)
	}
	t := patchTarget{budget: patchcost.New(ctx, size)}
	if err := t.put("add", nil, doc); err != nil {
		return nil, fmt.Errorf("%w: the document: %w", ErrPatch, err)
	}
	if len(p) > patchcost.MaxOps {
		return nil, fmt.Errorf("%w: it has %d operations, %d are allowed", ErrPatch, len(p), patchcost.MaxOps)
	}
	for i, op := range p {
		if err := t.apply(op); err != nil {
			return nil, fmt.Errorf("%w: operation %d: %w", ErrPatch, i, err)
		}
	}
	return Marshal(t.root)
}

// decodeValue decodes any JSON value; numbers keep their spelling.
func decodeValue(raw json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	return v, err
}

// Why an operation does not apply.
var (
	errPatchOp     = errors.New("the operation is unknown")
	errPatchValue  = errors.New("the value is not JSON")
	errPatchPath   = errors.New("the path is no JSON pointer or leads nowhere")
	errPatchRoot   = errors.New("the document must be an object")
	errPatchInside = errors.New("a value cannot be moved into itself")
	errPatchTest   = errors.New("the test failed")
	errPatchCopied = errors.New("the copies are too large")
	errPatchDepth  = errors.New("the result is nested too deep")
)

// A patchTarget is a decoded document on its way through a patch. After an error it is of no use.
type patchTarget struct {
	root   any
	copied int
	budget *patchcost.Budget
}

func (t *patchTarget) apply(op PatchOp) error {
	path, err := patchPath(op.Path)
	if err != nil {
		return err
	}
	switch op.Op {
	case "add", "replace":
		return t.put(op.Op, path, op.Value)
	case "remove":
		return t.edit(path, removeMember)
	case "test":
		return t.test(path, op.Value)
	case "copy", "move":
		return t.transfer(op, path)
	default:
		return errPatchOp
	}
}

// put decodes a value and adds it at path. It replaces an existing value.
func (t *patchTarget) put(op string, path []string, raw json.RawMessage) error {
	value, err := operand(raw)
	if err != nil {
		return err
	}
	return t.place(op, path, value, depth(raw))
}

// operand decodes the value of an operation; nil is null, as it is written.
func operand(raw json.RawMessage) (any, error) {
	if raw == nil {
		return nil, nil
	}
	value, err := decodeValue(raw)
	if err != nil {
		return nil, errPatchValue
	}
	return value, nil
}

// place adds a value at path. It replaces an existing value.
func (t *patchTarget) place(op string, path []string, value any, depth int) error {
	switch {
	case len(path)+depth > maxPatchDepth:
		return errPatchDepth
	case len(path) == 0:
		if _, ok := value.(map[string]any); !ok {
			return errPatchRoot
		}
		t.root = value
		return nil
	case op == "replace":
		return t.edit(path, func(holder any, name string) (any, error) { return replaceMember(holder, name, value) })
	default:
		return t.edit(path, func(holder any, name string) (any, error) { return addMember(holder, name, value) })
	}
}

// transfer copies or moves the value at op.From to path.
func (t *patchTarget) transfer(op PatchOp, path []string) error {
	from, err := patchPath(op.From)
	if err != nil {
		return err
	}
	value, err := valueAt(t.root, from)
	if err != nil {
		return err
	}
	if err := t.budget.Visit(value); err != nil {
		return err
	}
	if op.Op == "copy" {
		raw, err := Marshal(value)
		if err != nil {
			return errPatchValue
		}
		if t.copied += len(raw); t.copied > maxPatchCopied {
			return errPatchCopied
		}
		return t.put("add", path, raw)
	}
	switch {
	case slices.Equal(from, path):
		return nil
	case len(path) > len(from) && slices.Equal(path[:len(from)], from):
		return errPatchInside
	}
	if err := t.leadsTo(path); err != nil {
		return err
	}
	if err := t.edit(from, removeMember); err != nil {
		return err
	}
	return t.place("add", path, value, patchcost.Depth(value))
}

// leadsTo reports whether a value could be added at path. The reference client walks the destination of a move before it
// takes the value out of its array as well as after, and refuses one that only comes about by the elements that shift.
func (t *patchTarget) leadsTo(path []string) error {
	if len(path) == 0 {
		return nil
	}
	holder, err := valueAt(t.root, path[:len(path)-1])
	if err != nil {
		return err
	}
	name := path[len(path)-1]
	switch holder.(type) {
	case map[string]any:
		return nil
	case []any:
		if _, ok := patchIndex(name, math.MaxInt); ok || name == "-" {
			return nil
		}
	}
	return errPatchPath
}

func (t *patchTarget) test(path []string, raw json.RawMessage) error {
	value, err := valueAt(t.root, path)
	if err != nil {
		return err
	}
	want, err := operand(raw)
	if err == nil && !patchcost.Equal(value, want) {
		err = errPatchTest
	}
	return err
}

// edit lets change replace the object or array that holds the last element of path.
func (t *patchTarget) edit(path []string, change func(holder any, name string) (any, error)) error {
	if len(path) == 0 {
		return errPatchPath
	}
	holder, err := valueAt(t.root, path[:len(path)-1])
	if err != nil {
		return err
	}
	if err := t.budget.Shift(holder); err != nil {
		return err
	}
	root, err := edited(t.root, path, change)
	if err == nil {
		t.root = root
	}
	return err
}

func edited(v any, path []string, change func(holder any, name string) (any, error)) (any, error) {
	if len(path) == 1 {
		return change(v, path[0])
	}
	child, err := valueAt(v, path[:1])
	if err != nil {
		return nil, err
	}
	if child, err = edited(child, path[1:], change); err != nil {
		return nil, err
	}
	return replaceMember(v, path[0], child)
}

func addMember(holder any, name string, value any) (any, error) {
	switch c := holder.(type) {
	case map[string]any:
		c[name] = value
		return c, nil
	case []any:
		i := len(c)
		if name != "-" {
			var ok bool
			if i, ok = patchIndex(name, len(c)+1); !ok {
				return nil, errPatchPath
			}
		}
		return slices.Insert(c, i, value), nil
	default:
		return nil, errPatchPath
	}
}

func replaceMember(holder any, name string, value any) (any, error) {
	if _, err := valueAt(holder, []string{name}); err != nil {
		return nil, err
	}
	switch c := holder.(type) {
	case map[string]any:
		c[name] = value
	case []any:
		i, _ := patchIndex(name, len(c)) // it is there
		c[i] = value
	}
	return holder, nil
}

func removeMember(holder any, name string) (any, error) {
	if _, err := valueAt(holder, []string{name}); err != nil {
		return nil, err
	}
	if c, ok := holder.([]any); ok {
		i, _ := patchIndex(name, len(c)) // it is there
		return slices.Delete(c, i, i+1), nil
	}
	if c, ok := holder.(map[string]any); ok {
		delete(c, name)
	}
	return holder, nil
}

// valueAt follows path from v.
func valueAt(v any, path []string) (any, error) {
	for _, name := range path {
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[name]
			if !ok {
				return nil, errPatchPath
			}
			v = next
		case []any:
			i, ok := patchIndex(name, len(c))
			if !ok {
				return nil, errPatchPath
			}
			v = c[i]
		default:
			return nil, errPatchPath
		}
	}
	return v, nil
}

// patchIndex reads name as the index of one of n elements: a decimal without sign or leading zero.
func patchIndex(name string, n int) (int, bool) {
	i, err := strconv.Atoi(name)
	return i, err == nil && i >= 0 && i < n && strconv.Itoa(i) == name
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// patchPath splits a JSON pointer into its names.
func patchPath(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	if !pointer.MatchString(s) {
		return nil, errPatchPath
	}
	path := strings.Split(s[1:], "/")
	for i, name := range path {
		path[i] = unescapePointer.Replace(name)
		if path[i] == "__proto__" || path[i] == "prototype" && i > 0 && path[i-1] == "constructor" {
			return nil, errPatchPath
		}
	}
	return path, nil
}
