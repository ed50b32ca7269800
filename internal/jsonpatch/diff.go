package jsonpatch

import (
	"slices"
	"strconv"
)

// Diff returns the edits that turn old into new at path, or one that replaces the value if that is shorter. They
// apply strictly: no parent is missing, nothing absent is replaced, "-" only appends. The same input gives the same
// edits. They share parts of new.
func Diff(path []string, old, new any) []Edit {
	var d differ
	d.path = slices.Clone(path)
	d.value(old, new)
	return d.edits
}

type differ struct {
	path  []string
	edits []Edit
	cost  int // bytes the edits take on the wire, nearly
}

func (d *differ) emit(op string, value any) {
	e := Edit{Op: op, Path: slices.Clone(d.path), Value: value}
	d.edits = append(d.edits, e)
	d.cost += d.overhead()
	if op != "remove" {
		d.cost += Size(value)
	}
}

// overhead returns the size of an operation at the present path without its value.
func (d *differ) overhead() int {
	n := len(`{"op":"remove","path":"","value":},`)
	for _, t := range d.path {
		n += len("/") + len(t)
	}
	return n
}

// at calls f with a path that is one token longer.
func (d *differ) at(token string, f func()) {
	d.path = append(d.path, token)
	f()
	d.path = d.path[:len(d.path)-1]
}

func (d *differ) value(old, new any) {
	edits, cost := len(d.edits), d.cost
	switch new := new.(type) {
	case map[string]any:
		if old, ok := old.(map[string]any); ok {
			d.objects(old, new)
			break
		}
		d.emit("replace", new)
	case []any:
		if old, ok := old.([]any); ok {
			d.arrays(old, new)
			break
		}
		d.emit("replace", new)
	default:
		if !Identical(old, new) {
			d.emit("replace", new)
		}
		return
	}
	spent := d.cost - cost - d.overhead()
	if len(d.edits)-edits > 1 && spend(new, spent) > 0 {
		d.edits, d.cost = d.edits[:edits], cost
		d.emit("replace", new)
	}
}

func (d *differ) objects(old, new map[string]any) {
	for _, key := range SortedKeys(old) {
		v, stays := new[key]
		d.at(key, func() {
			if stays {
				d.value(old[key], v)
			} else {
				d.emit("remove", nil)
			}
		})
	}
	for _, key := range SortedKeys(new) {
		if _, had := old[key]; !had {
			d.at(key, func() { d.emit("add", new[key]) })
		}
	}
}

// arrays pairs elements by position, without the beginning and the end that both arrays share. In linear time this
// finds the usual changes of agents: elements appended, inserted or removed in one place.
func (d *differ) arrays(old, new []any) {
	start := 0
	for start < len(old) && start < len(new) && Identical(old[start], new[start]) {
		start++
	}
	tail := 0
	for tail < len(old)-start && tail < len(new)-start && Identical(old[len(old)-1-tail], new[len(new)-1-tail]) {
		tail++
	}
	both := min(len(old), len(new)) - tail
	for i := start; i < both; i++ {
		d.at(strconv.Itoa(i), func() { d.value(old[i], new[i]) })
	}
	for i := len(old) - tail - 1; i >= both; i-- {
		d.at(strconv.Itoa(i), func() { d.emit("remove", nil) })
	}
	for i := both; i < len(new)-tail; i++ {
		token := strconv.Itoa(i)
		if tail == 0 {
			token = "-"
		}
		d.at(token, func() { d.emit("add", new[i]) })
	}
}
