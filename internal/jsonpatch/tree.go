package jsonpatch

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// An Edit is one operation of a patch on decoded values.
type Edit struct {
	Op         string
	Path, From []string
	Value      any
}

// A Tree is the content of a document and the exact length of its JSON. Its methods do one operation each, update the
// size at a cost proportional to the values they touch, and return the inverse edit. On an error nothing has changed.
type Tree struct {
	Root map[string]any
	Size int
}

// NewTree returns a tree of root, which it owns.
func NewTree(root map[string]any) Tree { return Tree{Root: root, Size: Size(root)} }

// Missing returns the error of an operation on path, which leads nowhere.
func Missing(path []string) error { return fmt.Errorf("%w: %q", ErrNotFound, Pointer(path...)) }

// comma is the length that an item adds beside its own in a container that held n items before.
func comma(n int) int {
	if n > 0 {
		return len(",")
	}
	return 0
}

// add adds v at path as RFC 6902 says: it inserts into an array, and replaces a member of an object.
func (t *Tree) add(path []string, v any) (Edit, error) {
	if len(path) == 0 {
		return t.replace(path, v)
	}
	above, key := path[:len(path)-1], path[len(path)-1]
	holder, ok := Find(t.Root, above)
	if !ok {
		return Edit{}, Missing(above)
	}
	switch c := holder.(type) {
	case map[string]any:
		if _, had := c[key]; had {
			return t.replace(path, v)
		}
		t.Size += jsonscan.QuotedLen(key) + len(":") + Size(v) + comma(len(c))
		c[key] = v
		return Edit{Op: "remove", Path: path}, nil
	case []any:
		i := len(c)
		if key != "-" {
			if i, ok = Index(key, len(c)+1); !ok {
				return Edit{}, Missing(path)
			}
		}
		t.Size += Size(v) + comma(len(c))
		t.store(above, slices.Insert(c, i, v))
		return Edit{Op: "remove", Path: append(slices.Clone(above), strconv.Itoa(i))}, nil
	default:
		return Edit{}, Missing(path)
	}
}

// replace replaces the value at path with v.
func (t *Tree) replace(path []string, v any) (Edit, error) {
	old, ok := Find(t.Root, path)
	if !ok {
		return Edit{}, Missing(path)
	}
	undo := Edit{Op: "replace", Path: path, Value: old}
	if len(path) == 0 {
		root, ok := v.(map[string]any)
		if !ok {
			return Edit{}, fmt.Errorf("%w: the document must be an object", ErrValue)
		}
		t.Root, t.Size = root, Size(v)
		return undo, nil
	}
	t.Size += Size(v) - Size(old)
	t.store(path, v)
	return undo, nil
}

// remove removes the value at path, which is not the root.
func (t *Tree) remove(path []string) (Edit, error) {
	if len(path) == 0 {
		return Edit{}, fmt.Errorf("%w: the document itself cannot be removed", ErrPointer)
	}
	old, ok := Find(t.Root, path)
	if !ok {
		return Edit{}, Missing(path)
	}
	above, key := path[:len(path)-1], path[len(path)-1]
	holder, _ := Find(t.Root, above)
	switch c := holder.(type) {
	case map[string]any:
		delete(c, key)
		t.Size -= jsonscan.QuotedLen(key) + len(":") + Size(old) + comma(len(c))
	case []any:
		i, _ := Index(key, len(c))
		c = slices.Delete(c, i, i+1)
		t.Size -= Size(old) + comma(len(c))
		t.store(above, c)
	}
	return Edit{Op: "add", Path: path, Value: old}, nil
}

// store puts v into the slot at path, which exists. It does not update the size.
func (t *Tree) store(path []string, v any) {
	holder, _ := Find(t.Root, path[:len(path)-1])
	switch c := holder.(type) {
	case map[string]any:
		c[path[len(path)-1]] = v
	case []any:
		i, _ := Index(path[len(path)-1], len(c))
		c[i] = v
	}
}

// move moves the value at from to path. The inverse may be two edits, in this order.
func (t *Tree) move(from, path []string) ([]Edit, error) {
	v, ok := Find(t.Root, from)
	if !ok {
		return nil, Missing(from)
	}
	back, err := t.remove(from)
	if err != nil {
		return nil, err
	}
	undo, err := t.add(path, v)
	if err != nil {
		if _, again := t.add(back.Path, back.Value); again != nil {
			panic("jsonpatch: a removed value has lost its place") // it was there before the removal
		}
		return nil, err
	}
	if undo.Op == "replace" { // moving v back first could shift the elements of path
		back.Value = Clone(v) // v itself stays in the tree and may change there
		return []Edit{undo, back}, nil
	}
	return []Edit{{Op: "move", From: undo.Path, Path: from}}, nil
}
