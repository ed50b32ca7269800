package jsonpatch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// ErrPatch is returned for a patch that is malformed or does not apply.
var ErrPatch = errors.New("patch does not apply")

// ErrTooLarge is returned when a change would take a document over its limits, or copies too many bytes.
var ErrTooLarge = errors.New("too large")

var errDepth = fmt.Errorf("%w: nested too deep", ErrTooLarge)

// MaxCopied is the largest sum of bytes that the copy operations of one patch may copy. Without a limit a few
// hundred bytes of patch double a document until memory is gone.
const MaxCopied = 8 << 20

// An Op is an operation as a patch has it.
type Op struct {
	Op, Path, From string
	Value          json.RawMessage
}

// A Change applies edits to a tree, one after another, and can take all of them back. It also writes the patch for
// readers, which is not the one that came in: it has no tests and nothing without effect. Where readers differ it
// replaces the nearest ancestor that all of them can reach (see safe), or removes and adds what a move would move
// (see shifts).
type Change struct {
	Tree      *Tree
	Budget    *Budget // nil for edits of our own
	MaxCopied int     // how many bytes copies may copy; 0 means MaxCopied
	// refuse what the reference client refuses: names of prototypes, and moves by an element that they shift
	Strict bool
	Send   func(Op)

	copied int
	undo   []Edit // in the order of the edits they take back
	// lifted says that the value at top was changed where readers cannot follow and is still to be sent. Until then
	// edits below top need no operation; one of top itself does, because it may take top away or shift it.
	lifted bool
	top    []string
}

// Changed reports whether an edit had an effect.
func (c *Change) Changed() bool { return len(c.undo) > 0 }

// Copied returns how many bytes the copies have copied, also those of edits that were taken back.
func (c *Change) Copied() int { return c.copied }

func patchError(cause error) error { return fmt.Errorf("%w: %w", ErrPatch, cause) }

// tooMany returns ErrTooLarge for a change over its budget, and other errors as they are.
func tooMany(err error) error {
	if errors.Is(err, ErrSteps) {
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return err
}

// ReadEdit decodes the pointers and the value of op. The error is [ErrPatch].
func ReadEdit(op Op) (Edit, error) {
	e := Edit{Op: op.Op}
	var err error
	if e.Path, err = ParsePointer(op.Path); err != nil {
		return e, patchError(err)
	}
	switch op.Op {
	case "add", "replace", "test":
		if op.Value == nil { // null, as it is written
			return e, nil
		}
		e.Value, err = Parse(op.Value)
	case "move", "copy":
		e.From, err = ParsePointer(op.From)
	case "remove":
	default:
		return e, fmt.Errorf("%w: unknown operation %q", ErrPatch, op.Op)
	}
	if err != nil {
		return e, patchError(err)
	}
	return e, nil
}

// Encode returns e as a patch has it. The value of a test is left out.
func (e Edit) Encode() Op {
	op := Op{Op: e.Op, Path: Pointer(e.Path...)}
	switch e.Op {
	case "add", "replace":
		op.Value = Render(e.Value)
	case "move", "copy":
		op.From = Pointer(e.From...)
	}
	return op
}

// charge takes the steps of e from the budget.
func (c *Change) charge(e Edit) error {
	if c.Budget == nil {
		return nil
	}
	for _, path := range [][]string{e.Path, e.From} {
		holder, _ := Find(c.Tree.Root, path[:max(0, len(path)-1)])
		if err := c.Budget.Shift(holder); err != nil {
			return tooMany(err)
		}
	}
	if e.Op == "move" || e.Op == "copy" {
		v, _ := Find(c.Tree.Root, e.From)
		return tooMany(c.Budget.Visit(v))
	}
	return nil
}

// Do applies e, or nothing. The error is [ErrPatch], [ErrTooLarge], or the cause of the context of the budget.
func (c *Change) Do(e Edit) error {
	if err := c.charge(e); err != nil {
		return err
	}
	if c.Strict && (ReachesPrototype(e.Path) || ReachesPrototype(e.From) || e.Op == "move" && !c.leads(e.Path)) {
		return patchError(Missing(e.Path))
	}
	if e.Op == "test" {
		if v, ok := Find(c.Tree.Root, e.Path); !ok || !Equal(v, e.Value) {
			return fmt.Errorf("%w: test of %q failed", ErrPatch, Pointer(e.Path...))
		}
		return nil
	}
	if c.lifted && (!Inside(e.Path, c.top) || e.Op == "move" && !Inside(e.From, c.top)) {
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

// apply changes the tree and returns the inverse of e, nothing if e has no effect. It writes the value of a copy
// into e.
func (c *Change) apply(e *Edit) ([]Edit, error) {
	switch e.Op {
	case "remove":
		return one(c.Tree.remove(e.Path))
	case "move":
		return c.move(e)
	case "copy":
		v, ok := Find(c.Tree.Root, e.From)
		if !ok {
			return nil, Missing(e.From)
		}
		if c.copied += Size(v); c.copied > cmp.Or(c.MaxCopied, MaxCopied) {
			return nil, fmt.Errorf("%w: copies of %d bytes", ErrTooLarge, c.copied)
		}
		e.Value = Clone(v)
	}
	if c.tooDeep(e.Path, e.Value) {
		return nil, errDepth
	}
	old, had := Find(c.Tree.Root, e.Path)
	if had && Identical(old, e.Value) && (e.Op == "replace" || !c.inArray(e.Path)) {
		return nil, nil
	}
	if e.Op == "replace" {
		return one(c.Tree.replace(e.Path, e.Value))
	}
	return one(c.Tree.add(e.Path, e.Value))
}

func one(undo Edit, err error) ([]Edit, error) {
	if err != nil {
		return nil, err
	}
	return []Edit{undo}, nil
}

func (c *Change) move(e *Edit) ([]Edit, error) {
	v, ok := Find(c.Tree.Root, e.From)
	switch {
	case !ok:
		return nil, Missing(e.From)
	case slices.Equal(e.From, e.Path):
		return nil, nil
	case within(e.Path, e.From):
		return nil, fmt.Errorf("%w: a value cannot be moved into itself", ErrPointer)
	case within(e.From, e.Path):
		return c.hoist(e, v)
	case c.tooDeep(e.Path, v):
		return nil, errDepth
	}
	e.Value = v
	return c.Tree.move(e.From, e.Path)
}

// tooDeep reports whether v at path exceeds MaxDepth. A path without a parent is not too deep: it is missing.
func (c *Change) tooDeep(path []string, v any) bool {
	if len(path)+Depth(v) <= MaxDepth {
		return false
	}
	_, parent := Find(c.Tree.Root, path[:max(0, len(path)-1)])
	return parent
}

// leads reports whether a value could be added at path now. The reference client looks for the destination of a
// move before the elements shift as well as after.
func (c *Change) leads(path []string) bool {
	if len(path) == 0 {
		return true
	}
	holder, _ := Find(c.Tree.Root, path[:len(path)-1])
	key := path[len(path)-1]
	switch holder.(type) {
	case map[string]any:
		return true
	case []any:
		_, ok := Index(key, math.MaxInt)
		return ok || key == "-"
	}
	return false
}

// shifts reports whether the path of the move e leads through the array of its source. Readers differ on such a
// path: see leads.
func (c *Change) shifts(e Edit) bool {
	n := len(e.From) - 1
	return len(e.Path) > len(e.From) && slices.Equal(e.Path[:n], e.From[:n]) && c.inArray(e.From)
}

// hoist moves v, at e.From, to e.Path above it. The inverse is no move, which would lead into itself.
func (c *Change) hoist(e *Edit, v any) ([]Edit, error) {
	if !c.inArray(e.Path) { // v replaces all that it was in
		return one(c.Tree.replace(e.Path, Clone(v)))
	}
	undo, err := one(c.Tree.remove(e.From))
	if err != nil {
		return nil, err
	}
	undo[0].Value = Clone(v) // v itself stays in the tree and may change there
	added, err := c.Tree.add(e.Path, v)
	return append([]Edit{added}, undo...), err
}

func (c *Change) inArray(path []string) bool {
	if len(path) == 0 {
		return false
	}
	holder, _ := Find(c.Tree.Root, path[:len(path)-1])
	_, is := holder.([]any)
	return is
}

// rollback takes back every edit.
func (c *Change) rollback() {
	undo := c.undo
	c.undo = nil
	for _, e := range slices.Backward(undo) {
		if _, err := c.apply(&e); err != nil {
			// its inverse was made from this very tree
			panic("jsonpatch: a change cannot be taken back: " + err.Error())
		}
	}
}

// Undo returns the operations that take every edit back, in their order.
func (c *Change) Undo() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for _, e := range slices.Backward(c.undo) {
			if !yield(e.Encode()) {
				return
			}
		}
	}
}

// send adds e, which was just applied, to the patch for readers.
func (c *Change) send(e Edit) {
	if c.Send == nil || c.lifted { // the lifted value includes e
		return
	}
	path, from := safe(e.Path) == len(e.Path), safe(e.From) == len(e.From)
	switch {
	case e.Op == "move" && (!path || !from):
		c.lift(common(e.Path, e.From))
	case !path || len(e.Path) == 0:
		c.lift(e.Path)
	case e.Op == "move" && c.shifts(e):
		c.Send(Edit{Op: "remove", Path: e.From}.Encode())
		c.Send(Edit{Op: "add", Path: e.Path, Value: e.Value}.Encode())
	case e.Op == "copy" && (!from || len(e.From) == 0):
		e.Op = "add"
		c.Send(e.Encode())
	default:
		c.Send(e.Encode())
	}
}

// lift has flush send the nearest ancestor of path that readers can reach.
func (c *Change) lift(path []string) {
	c.lifted, c.top = true, slices.Clone(path[:min(safe(path), max(0, len(path)-1))])
}

// flush sends the value that was lifted.
func (c *Change) flush() error {
	if !c.lifted {
		return nil
	}
	c.lifted = false
	v, ok := Find(c.Tree.Root, c.top)
	if !ok || c.Send == nil {
		return nil
	}
	if err := c.Budget.Visit(v); err != nil {
		return tooMany(err)
	}
	c.Send(Edit{Op: "replace", Path: c.top, Value: v}.Encode())
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

// Apply applies edits, all or none. The tree stays as it is if the result is over limit bytes and not smaller than
// before; 0 is no limit.
func (c *Change) Apply(edits []Edit, limit int) error {
	err := c.doAll(edits, limit)
	if err != nil {
		c.rollback()
	}
	return err
}

func (c *Change) doAll(edits []Edit, limit int) error {
	before := c.Tree.Size
	for _, e := range edits {
		if err := c.Do(e); err != nil {
			return err
		}
	}
	if limit > 0 && c.Tree.Size > limit && c.Tree.Size > before {
		return fmt.Errorf("%w: %d bytes, %d are allowed", ErrTooLarge, c.Tree.Size, limit)
	}
	return c.flush()
}
