package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/internal/lock"
)

// A Document is the state a thread's agents share with its readers: one JSON object. It is kept decoded, so
// that a change costs what it touches and not what the document weighs, and nothing of its JSON is
// lost on the way: numbers keep their spelling. Every change is made as a whole or not at all.
//
// A Document is safe for concurrent use; changes happen one after another.
type Document struct {
	o Options

	mu   lock.Lock                       // also held while read and OnChange wait
	read func() (json.RawMessage, error) // nil once it was
	tree jsonpatch.Tree
	raw  json.RawMessage // the rendered tree, nil since it changed; never written to
	rev  int             // changes that were made
	// copied is how many bytes the copies of patches have taken.
	copied int
}

// Options are the rules a [Document] keeps to. The zero value has none.
type Options struct {
	// Reducers combine a new value at a pointer with the present one. Without a reducer the value is replaced.
	Reducers Reducers
	// MaxSize is the most bytes the document's JSON may take; 0 is no limit. A document that was larger to
	// begin with may only shrink.
	MaxSize int
	// MaxPatchOps is the most operations a delta may have; a change that needs more is sent as a snapshot.
	// 0 is no limit.
	MaxPatchOps int
	// OnChange is called for every change, in order, after it was made and before the method that made it
	// returns. It runs under the document's lock and must not call the document. Its error is returned to
	// the writer; the change stays.
	OnChange func(Change) error
}

// New returns a document that holds raw: an object, or nothing or null for an empty one.
// The error is [ErrValue], or [ErrTooLarge] for what nests deeper than [MaxDepth].
func New(raw json.RawMessage, o Options) (*Document, error) {
	root, err := jsonpatch.ParseObject(raw)
	if err != nil {
		return nil, err
	}
	return &Document{o: o, mu: lock.New(), tree: jsonpatch.NewTree(root)}, nil
}

// NewLate returns a document that is read when somebody looks at it or writes to it. Until that succeeds what writes
// returns the error of read or of [New], and the document is empty. The caller must then fail the run.
func NewLate(read func() (json.RawMessage, error), o Options) *Document {
	return &Document{o: o, mu: lock.New(), read: read, tree: jsonpatch.NewTree(map[string]any{})}
}

// lock takes the lock of a document that has been read. The lock is held in any case.
func (d *Document) lock() error {
	d.mu.Lock()
	if d.read == nil {
		return nil
	}
	raw, err := d.read()
	if err != nil {
		return err
	}
	root, err := jsonpatch.ParseObject(raw)
	if err != nil {
		return err
	}
	d.read, d.raw, d.tree = nil, nil, jsonpatch.NewTree(root)
	return nil
}

// Rev returns how many changes were made to the document. It does not read one.
func (d *Document) Rev() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rev
}

// Copied returns how many bytes the copies of all patches have taken so far, also of those that were refused. Who
// applies the patches of somebody else can end it there: a copy is a few bytes long and costs what it copies.
func (d *Document) Copied() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.copied
}

// Blank reports whether there is nothing at pointer, or null, or an empty text.
func (d *Document) Blank(pointer string) bool {
	path, err := jsonpatch.ParsePointer(pointer)
	if err != nil {
		return true
	}
	_ = d.lock()
	defer d.mu.Unlock()
	v, _ := jsonpatch.Find(d.tree.Root, path)
	return v == nil || v == ""
}

// Get decodes the value at pointer into v, which is a pointer as for [json.Unmarshal]; numbers become
// [json.Number] where v does not say what they are. It reports whether there is a value.
func (d *Document) Get(pointer string, v any) (bool, error) {
	path, err := jsonpatch.ParsePointer(pointer)
	if err != nil {
		return false, err
	}
	raw, ok, err := d.at(path)
	if !ok || err != nil {
		return false, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return true, fmt.Errorf("%w at %q: %w", ErrValue, pointer, err)
	}
	return true, nil
}

// Raw returns the JSON of the value at pointer, and false if there is none.
func (d *Document) Raw(pointer string) (json.RawMessage, bool) {
	path, err := jsonpatch.ParsePointer(pointer)
	if err != nil {
		return nil, false
	}
	raw, ok, _ := d.at(path)
	return raw, ok
}

func (d *Document) at(path []string) (json.RawMessage, bool, error) {
	err := d.lock()
	defer d.mu.Unlock()
	v, ok := jsonpatch.Find(d.tree.Root, path)
	if !ok {
		return nil, false, err
	}
	return jsonpatch.Render(v), true, nil
}

// Set makes v, marshalled as by [json.Marshal], the value at pointer, combined with the present one by the
// reducer that is registered for this pointer. Objects missing on the way, or null, are made; in an array the
// index of an element replaces it, "-" or the array's length appends. Only what differs is changed and
// sent; if nothing does, nothing happens. Errors are [ErrPointer], [ErrNotFound], [ErrValue],
// [ErrTooLarge], the reducer's and OnChange's.
func (d *Document) Set(pointer string, v any) error {
	path, err := jsonpatch.ParsePointer(pointer)
	if err != nil {
		return err
	}
	value, err := jsonpatch.ToValue(v)
	if err != nil {
		return err
	}
	return d.update(func() (_ []jsonpatch.Edit, err error) {
		if reduce := d.o.Reducers[pointer]; reduce != nil {
			if value, err = d.reduce(reduce, path, value); err != nil {
				return nil, fmt.Errorf("document: set %q: %w", pointer, err)
			}
		}
		return setEdits(d.tree.Root, path, value)
	})
}

func (d *Document) reduce(reduce Reducer, path []string, value any) (any, error) {
	var old json.RawMessage
	if v, ok := jsonpatch.Find(d.tree.Root, path); ok {
		old = jsonpatch.Render(v)
	}
	out, err := reduce(old, jsonpatch.Render(value))
	if err != nil {
		return nil, err
	}
	return jsonpatch.ToValue(out)
}

// setEdits returns what makes value the one at path below root.
func setEdits(root any, path []string, value any) ([]jsonpatch.Edit, error) {
	at := root
	for i, t := range path {
		last := i == len(path)-1
		op := "add"
		switch c := at.(type) {
		case map[string]any:
			next, ok := c[t]
			if ok && (last || next != nil) {
				at = next
				continue
			}
			if ok {
				op = "replace"
			}
		case []any:
			if n, ok := jsonpatch.Index(t, len(c)); ok {
				if at = c[n]; last || at != nil {
					continue
				}
				op = "replace"
				break
			}
			if _, ok := jsonpatch.Index(t, len(c)+1); !ok && t != "-" {
				return nil, jsonpatch.Missing(path)
			}
			path = slices.Clone(path)
			path[i] = "-"
		default:
			return nil, jsonpatch.Missing(path)
		}
		return []jsonpatch.Edit{{Op: op, Path: path[:i+1], Value: nest(path[i+1:], value)}}, nil
	}
	if _, ok := value.(map[string]any); !ok && len(path) == 0 {
		return nil, fmt.Errorf("%w: the document must be an object", ErrValue)
	}
	return jsonpatch.Diff(path, at, value), nil
}

// nest wraps v into the objects that path names; where it says "-" there can only be a new array.
func nest(path []string, v any) any {
	for _, t := range slices.Backward(path) {
		if t == "-" {
			v = []any{v}
		} else {
			v = map[string]any{t: v}
		}
	}
	return v
}

// Remove takes out the value at pointer; [ErrNotFound] if there is none, [ErrPointer] for the whole
// document.
func (d *Document) Remove(pointer string) error {
	path, err := jsonpatch.ParsePointer(pointer)
	if err != nil {
		return err
	}
	if len(path) == 0 {
		return fmt.Errorf("%w: the document itself cannot be removed", ErrPointer)
	}
	return d.update(func() ([]jsonpatch.Edit, error) {
		if _, ok := jsonpatch.Find(d.tree.Root, path); !ok {
			return nil, jsonpatch.Missing(path)
		}
		return []jsonpatch.Edit{{Op: "remove", Path: path}}, nil
	})
}

// Apply applies p strictly by RFC 6902, as a whole or not at all, past the reducers. The error is [ErrPatch],
// [ErrTooLarge], also for a patch of more than 10,000 operations or with too much work to do, OnChange's, or the
// cause of ctx, which ends the work when it is done.
func (d *Document) Apply(ctx context.Context, p agui.Patch) error {
	err := d.lock()
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	budget, err := jsonpatch.NewBudget(ctx, len(p), d.tree.Size+sizePatch(p))
	if err != nil {
		return err
	}
	edits, err := editsOf(p)
	if err != nil {
		return err
	}
	return d.change(edits, false, budget)
}

// Replace makes raw, an object, the whole document, past the reducers. It changes and sends what differs,
// and has to compare everything to know.
func (d *Document) Replace(raw json.RawMessage) error {
	root, err := jsonpatch.ParseObject(raw)
	if err != nil {
		return err
	}
	return d.update(func() ([]jsonpatch.Edit, error) { return jsonpatch.Diff(nil, d.tree.Root, root), nil })
}

// ApplyOutside applies a patch that no agent of the run wrote, atomically and without the reducers.
// It may write at and below the pointers of writable; nil means everywhere. OnChange gets
// it as a patch, never as a snapshot. The error is an [*OutsideError], or OnChange's.
func (d *Document) ApplyOutside(p OutsidePatch, writable []string) error {
	err := d.lock()
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	raw, err := p.apply(d.render(), writable, d.o.MaxSize)
	if err != nil {
		return err
	}
	root, err := jsonpatch.ParseObject(raw)
	if err != nil {
		return err
	}
	err = d.change(jsonpatch.Diff(nil, d.tree.Root, root), true, nil)
	if errors.Is(err, ErrTooLarge) {
		return refused(ErrTooLarge, fmt.Sprintf("the state would take more than %d bytes", d.o.MaxSize))
	}
	return err
}

// JSON returns the document, members sorted and without white space. The caller must not change it.
func (d *Document) JSON() json.RawMessage {
	_ = d.lock()
	defer d.mu.Unlock()
	return d.render()
}

func (d *Document) render() json.RawMessage {
	if d.raw == nil {
		d.raw = slices.Clip(jsonpatch.Append(make([]byte, 0, d.tree.Size), d.tree.Root))
	}
	return d.raw
}

// Clone returns an independent document with the same content and options, but without OnChange: the
// clone has no readers.
func (d *Document) Clone() *Document {
	_ = d.lock()
	defer d.mu.Unlock()
	o := d.o
	o.OnChange = nil
	root, _ := jsonpatch.Clone(d.tree.Root).(map[string]any)
	return &Document{o: o, mu: lock.New(), tree: jsonpatch.Tree{Root: root, Size: d.tree.Size}, raw: d.raw}
}

// update commits the edits that plan returns. The lock is held while plan runs.
func (d *Document) update(plan func() ([]jsonpatch.Edit, error)) error {
	err := d.lock()
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	edits, err := plan()
	if err != nil {
		return err
	}
	return d.change(edits, false, nil)
}

// change applies edits and passes the change to OnChange. The lock is held. With patch, OnChange always gets a
// patch: one that is too long replaces the whole document. A nil budget is no limit.
func (d *Document) change(edits []jsonpatch.Edit, patch bool, budget *jsonpatch.Budget) error {
	var p agui.Patch
	c := jsonpatch.Change{Tree: &d.tree, Budget: budget}
	if d.o.OnChange != nil {
		c.Send = func(op jsonpatch.Op) { p = append(p, agui.PatchOp(op)) }
	}
	err := c.Apply(edits, d.o.MaxSize)
	d.copied += c.Copied()
	if err != nil || !c.Changed() {
		return err
	}
	d.raw = nil
	d.rev++
	if d.o.OnChange == nil {
		return nil
	}
	made := Change{Patch: p, Undo: collect(c.Undo())}
	many := d.o.MaxPatchOps > 0 && len(p) > d.o.MaxPatchOps
	switch size := sizePatch(p); {
	case !patch && (many || size > d.tree.Size):
		made.Snapshot = d.render()
	case patch && (many || size > d.tree.Size+len(`[{"op":"replace","path":"","value":}]`)):
		made.Patch = agui.Patch{{Op: "replace", Path: "", Value: d.render()}}
	}
	return d.o.OnChange(made)
}
