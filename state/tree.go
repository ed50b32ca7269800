package state

import (
	"fmt"
	"slices"
	"strconv"
)

// An edit is one operation of a patch on decoded values.
type edit struct {
	op         string
	path, from []string
	value      any
}

// A tree is a document's content and the exact length of its JSON. Its methods do one operation each, keep
// the length right at the price of what they touch, and return the edit that takes it back. On an error
// nothing has changed.
type tree struct {
	root map[string]any
	size int
}

func missing(path []string) error { return fmt.Errorf("%w: %q", ErrNotFound, Pointer(path...)) }

// comma is what an item costs beside itself in a container that held n before.
func comma(n int) int {
	if n > 0 {
		return len(",")
	}
	return 0
}

// add puts v at path as RFC 6902 says: into an array before the element there, into an object instead of it.
func (t *tree) add(path []string, v any) (edit, error) {
	if len(path) == 0 {
		return t.replace(path, v)
	}
	above, key := path[:len(path)-1], path[len(path)-1]
	holder, ok := find(t.root, above)
	if !ok {
		return edit{}, missing(above)
	}
	switch c := holder.(type) {
	case map[string]any:
		if _, had := c[key]; had {
			return t.replace(path, v)
		}
		t.size += sizeQuoted(key) + len(":") + sizeJSON(v) + comma(len(c))
		c[key] = v
		return edit{op: "remove", path: path}, nil
	case []any:
		i := len(c)
		if key != "-" {
			if i, ok = arrayIndex(key, len(c)+1); !ok {
				return edit{}, missing(path)
			}
		}
		t.size += sizeJSON(v) + comma(len(c))
		t.store(above, slices.Insert(c, i, v))
		return edit{op: "remove", path: append(slices.Clone(above), strconv.Itoa(i))}, nil
	default:
		return edit{}, missing(path)
	}
}

// replace puts v in the place of what is at path.
func (t *tree) replace(path []string, v any) (edit, error) {
	old, ok := find(t.root, path)
	if !ok {
		return edit{}, missing(path)
	}
	undo := edit{op: "replace", path: path, value: old}
	if len(path) == 0 {
		root, ok := v.(map[string]any)
		if !ok {
			return edit{}, fmt.Errorf("%w: the document must be an object", ErrValue)
		}
		t.root, t.size = root, sizeJSON(v)
		return undo, nil
	}
	t.size += sizeJSON(v) - sizeJSON(old)
	t.store(path, v)
	return undo, nil
}

// remove takes out what is at path, which is not the root.
func (t *tree) remove(path []string) (edit, error) {
	if len(path) == 0 {
		return edit{}, fmt.Errorf("%w: the document itself cannot be removed", ErrPointer)
	}
	old, ok := find(t.root, path)
	if !ok {
		return edit{}, missing(path)
	}
	above, key := path[:len(path)-1], path[len(path)-1]
	holder, _ := find(t.root, above)
	switch c := holder.(type) {
	case map[string]any:
		delete(c, key)
		t.size -= sizeQuoted(key) + len(":") + sizeJSON(old) + comma(len(c))
	case []any:
		i, _ := arrayIndex(key, len(c))
		c = slices.Delete(c, i, i+1)
		t.size -= sizeJSON(old) + comma(len(c))
		t.store(above, c)
	}
	return edit{op: "add", path: path, value: old}, nil
}

// store puts v into the slot that path leads to, which exists. It leaves the size alone.
func (t *tree) store(path []string, v any) {
	holder, _ := find(t.root, path[:len(path)-1])
	switch c := holder.(type) {
	case map[string]any:
		c[path[len(path)-1]] = v
	case []any:
		i, _ := arrayIndex(path[len(path)-1], len(c))
		c[i] = v
	}
}

// move takes the value at from to path. What takes it back may be two edits, in this order.
func (t *tree) move(from, path []string) ([]edit, error) {
	v, ok := find(t.root, from)
	if !ok {
		return nil, missing(from)
	}
	back, err := t.remove(from)
	if err != nil {
		return nil, err
	}
	undo, err := t.add(path, v)
	if err != nil {
		if _, again := t.add(back.path, back.value); again != nil {
			panic("state: a removed value has lost its place") // it has just been there
		}
		return nil, err
	}
	if undo.op == "replace" { // to move v back first could shift what path leads to
		back.value = cloneJSON(v) // v itself stays in the tree and may change there
		return []edit{undo, back}, nil
	}
	return []edit{{op: "move", from: undo.path, path: from}}, nil
}
