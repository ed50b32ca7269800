package state

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/patchcost"
)

// ErrPatch is returned for a patch that is malformed or does not apply.
var ErrPatch = errors.New("state: patch does not apply")

// ErrTooLarge is returned when a change would take a document over its limits, or copies more than
// [MaxCopied] bytes.
var ErrTooLarge = errors.New("state: too large")

// MaxCopied bounds what the copy operations of one patch may add up to, in bytes: without it a few hundred
// bytes of patch double a document until memory is gone.
const MaxCopied = 8 << 20

// A change is a patch on its way into a tree. It applies edits one after another and can take all of them
// back; on the side it writes the patch that readers are sent. That patch is not the one that came in: it
// holds no tests and nothing without effect, and where readers differ it replaces the nearest ancestor that all of
// them can reach (see safe), or takes out and adds what it would move (see shifts).
type change struct {
	tree   *tree
	budget *patchcost.Budget // nil where the edits are not somebody else's
	copied int
	undo   []edit // in the order of the edits they take back

	record bool // whether wire is wanted
	wire   agui.Patch
	// lifted says that the value at top was changed where readers cannot follow and is still to be sent. Until then edits
	// below top need no operation of their own; one of top itself does, because it may take top away or shift it.
	lifted bool
	top    []string
}

func patchError(cause error) error { return fmt.Errorf("%w: %w", ErrPatch, cause) }

// budgetOf returns the budget of p on a document of size bytes.
func budgetOf(ctx context.Context, p agui.Patch, size int) (*patchcost.Budget, error) {
	if len(p) > patchcost.MaxOps {
		return nil, fmt.Errorf("%w: a patch of %d operations, %d are allowed", ErrTooLarge, len(p), patchcost.MaxOps)
	}
	return patchcost.New(ctx, size+sizePatch(p)), nil
}

// spent returns the error of a change with a budget: a change over the budget is too large.
func spent(err error) error {
	if errors.Is(err, patchcost.ErrSteps) {
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return err
}

// editsOf reads p's pointers and values.
func editsOf(p agui.Patch) ([]edit, error) {
	edits := make([]edit, len(p))
	for i, op := range p {
		e := edit{op: op.Op}
		var err error
		if e.path, err = parsePointer(op.Path); err != nil {
			return nil, patchError(err)
		}
		switch op.Op {
		case "add", "replace", "test":
			if e.value, err = toValue(op.Value); err != nil {
				return nil, patchError(err)
			}
		case "move", "copy":
			if e.from, err = parsePointer(op.From); err != nil {
				return nil, patchError(err)
			}
		case "remove":
		default:
			return nil, fmt.Errorf("%w: unknown operation %q", ErrPatch, op.Op)
		}
		edits[i] = e
	}
	return edits, nil
}

// charge takes the steps of e from the budget.
func (c *change) charge(e edit) error {
	if c.budget == nil {
		return nil
	}
	for _, path := range [][]string{e.path, e.from} {
		holder, _ := find(c.tree.root, path[:max(0, len(path)-1)])
		if err := c.budget.Shift(holder); err != nil {
			return spent(err)
		}
	}
	if e.op == "move" || e.op == "copy" {
		v, _ := find(c.tree.root, e.from)
		return spent(c.budget.Visit(v))
	}
	return nil
}

// do applies e.
func (c *change) do(e edit) error {
	if err := c.charge(e); err != nil {
		return err
	}
	if e.op == "test" {
		if v, ok := find(c.tree.root, e.path); !ok || !patchcost.Equal(v, e.value) {
			return fmt.Errorf("%w: test of %q failed", ErrPatch, Pointer(e.path...))
		}
		return nil
	}
	if c.lifted && (!inside(e.path, c.top) || e.op == "move" && !inside(e.from, c.top)) {
		if err := c.flush(); err != nil {
			return err
		}
	}
	undo, err := c.apply(&e)
	switch {
	case errors.Is(err, ErrTooLarge):
		return err
	case err != nil:
		return patchError(err)
	case len(undo) == 0:
		return nil
	}
	slices.Reverse(undo) // c.undo is read from its end
	c.undo = append(c.undo, undo...)
	c.send(e)
	return nil
}

// apply changes the tree and returns what takes the edit back, nothing if the edit has no effect. It writes
// into e the value a copy puts down.
func (c *change) apply(e *edit) ([]edit, error) {
	switch e.op {
	case "remove":
		return one(c.tree.remove(e.path))
	case "move":
		return c.move(e)
	case "copy":
		v, ok := find(c.tree.root, e.from)
		if !ok {
			return nil, missing(e.from)
		}
		if c.copied += sizeJSON(v); c.copied > MaxCopied {
			return nil, fmt.Errorf("%w: copies of %d bytes", ErrTooLarge, c.copied)
		}
		e.value = cloneJSON(v)
	}
	if len(e.path)+patchcost.Depth(e.value) > MaxDepth {
		return nil, fmt.Errorf("%w: nested too deep", ErrTooLarge)
	}
	old, had := find(c.tree.root, e.path)
	if had && equalJSON(old, e.value) && (e.op == "replace" || !c.inArray(e.path)) {
		return nil, nil
	}
	if e.op == "replace" {
		return one(c.tree.replace(e.path, e.value))
	}
	return one(c.tree.add(e.path, e.value))
}

func one(undo edit, err error) ([]edit, error) {
	if err != nil {
		return nil, err
	}
	return []edit{undo}, nil
}

func (c *change) move(e *edit) ([]edit, error) {
	v, ok := find(c.tree.root, e.from)
	switch {
	case !ok:
		return nil, missing(e.from)
	case slices.Equal(e.from, e.path):
		return nil, nil
	case within(e.path, e.from):
		return nil, fmt.Errorf("%w: a value cannot be moved into itself", ErrPointer)
	case within(e.from, e.path):
		return c.hoist(e, v)
	case len(e.path)+patchcost.Depth(v) > MaxDepth:
		return nil, fmt.Errorf("%w: nested too deep", ErrTooLarge)
	}
	e.value = v
	return c.tree.move(e.from, e.path)
}

// shifts reports whether the move e leads through the array it takes from. Readers differ on such a path: fast-json-patch
// looks for it before the elements shift as well as after.
func (c *change) shifts(e edit) bool {
	n := len(e.from) - 1
	return len(e.path) > len(e.from) && slices.Equal(e.path[:n], e.from[:n]) && c.inArray(e.from)
}

// hoist moves v, at e.from, to e.path above it. No move leads back from there, for that would be one into
// itself.
func (c *change) hoist(e *edit, v any) ([]edit, error) {
	if !c.inArray(e.path) { // v takes the place of all it was in
		return one(c.tree.replace(e.path, cloneJSON(v)))
	}
	undo, err := one(c.tree.remove(e.from))
	if err != nil {
		return nil, err
	}
	undo[0].value = cloneJSON(v) // v itself stays in the tree and may change there
	added, err := c.tree.add(e.path, v)
	return append([]edit{added}, undo...), err
}

func (c *change) inArray(path []string) bool {
	if len(path) == 0 {
		return false
	}
	holder, _ := find(c.tree.root, path[:len(path)-1])
	_, is := holder.([]any)
	return is
}

// rollback takes back every edit.
func (c *change) rollback() {
	undo := c.undo
	c.undo = nil
	for _, e := range slices.Backward(undo) {
		if _, err := c.apply(&e); err != nil {
			panic("state: a change cannot be taken back: " + err.Error()) // its inverse was made from this very tree
		}
	}
}

// inverse returns the patch that takes every edit back.
func (c *change) inverse() agui.Patch {
	p := make(agui.Patch, 0, len(c.undo))
	for _, e := range slices.Backward(c.undo) {
		p = append(p, operation(e))
	}
	return p
}

// send adds e, which has just been applied, to the wire patch.
func (c *change) send(e edit) {
	if !c.record || c.lifted { // what is still lifted covers e
		return
	}
	path, from := safe(e.path) == len(e.path), safe(e.from) == len(e.from)
	switch {
	case e.op == "move" && (!path || !from):
		c.lift(common(e.path, e.from))
	case !path || len(e.path) == 0:
		c.lift(e.path)
	case e.op == "move" && c.shifts(e):
		c.wire = append(c.wire, operation(edit{op: "remove", path: e.from}), operation(edit{op: "add", path: e.path, value: e.value}))
	case e.op == "copy" && (!from || len(e.from) == 0):
		e.op = "add"
		c.wire = append(c.wire, operation(e))
	default:
		c.wire = append(c.wire, operation(e))
	}
}

// lift leaves it to flush to send the nearest ancestor of path that readers can reach.
func (c *change) lift(path []string) {
	c.lifted, c.top = true, slices.Clone(path[:min(safe(path), max(0, len(path)-1))])
}

// flush sends the value that was lifted.
func (c *change) flush() error {
	if !c.lifted {
		return nil
	}
	c.lifted = false
	v, ok := find(c.tree.root, c.top)
	if !ok || !c.record {
		return nil
	}
	if err := c.budget.Visit(v); err != nil {
		return spent(err)
	}
	c.wire = append(c.wire, operation(edit{op: "replace", path: c.top, value: v}))
	return nil
}

// common returns the longest beginning that a and b share, and one token more so that lift may take it off.
func common(a, b []string) []string {
	n := 0
	for n < len(a)-1 && n < len(b)-1 && a[n] == b[n] {
		n++
	}
	return a[:min(n+1, len(a))]
}

func operation(e edit) agui.PatchOp {
	op := agui.PatchOp{Op: e.op, Path: Pointer(e.path...)}
	switch e.op {
	case "add", "replace":
		op.Value = renderJSON(e.value)
	case "move", "copy":
		op.From = Pointer(e.from...)
	}
	return op
}

// sizeOp is the length of op's JSON.
func sizeOp(op agui.PatchOp) int {
	n := len(`{"op":"","path":}`) + len(op.Op) + sizeQuoted(op.Path)
	switch op.Op {
	case "add", "replace", "test":
		n += len(`,"value":`) + len(op.Value)
	case "move", "copy":
		n += len(`,"from":`) + sizeQuoted(op.From)
	}
	return n
}

// sizePatch is the length of p's JSON.
func sizePatch(p agui.Patch) int {
	n := len("[]") + max(0, len(p)-1)
	for _, op := range p {
		n += sizeOp(op)
	}
	return n
}

// applyAll applies edits, all or none, and leaves the tree alone if the result is over limit bytes and not
// smaller than before; 0 is no limit.
func (c *change) applyAll(edits []edit, limit int) error {
	err := c.doAll(edits, limit)
	if err != nil {
		c.rollback()
	}
	return err
}

func (c *change) doAll(edits []edit, limit int) error {
	before := c.tree.size
	for _, e := range edits {
		if err := c.do(e); err != nil {
			return err
		}
	}
	if limit > 0 && c.tree.size > limit && c.tree.size > before {
		return fmt.Errorf("%w: %d bytes, %d are allowed", ErrTooLarge, c.tree.size, limit)
	}
	return c.flush()
}
