package state

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// Diff returns a patch that turns old into new, both objects (nothing and null are empty ones), and nil if
// they are equal. It applies strictly wherever it is applied: no parent is missing, nothing absent is
// replaced, "-" only appends. The same input gives the same patch. Its cost grows with the two documents;
// where it is known what changes, [Document.Set] is the cheaper way.
func Diff(old, new json.RawMessage) (agui.Patch, error) {
	a, err := parseObject(old)
	if err != nil {
		return nil, err
	}
	b, err := parseObject(new)
	if err != nil {
		return nil, err
	}
	c := change{tree: &tree{root: a, size: sizeJSON(a)}, record: true}
	if err := c.applyAll(diffValues(nil, a, b), 0); err != nil {
		return nil, err
	}
	return c.wire, nil
}

// diffValues returns the edits that turn old into new at path, or one that replaces it if that is shorter.
// The edits hold parts of new.
func diffValues(path []string, old, new any) []edit {
	var d differ
	d.path = slices.Clone(path)
	d.value(old, new)
	return d.edits
}

type differ struct {
	path  []string
	edits []edit
	cost  int // bytes the edits take on the wire, nearly
}

func (d *differ) emit(op string, value any) {
	e := edit{op: op, path: slices.Clone(d.path), value: value}
	d.edits = append(d.edits, e)
	d.cost += d.overhead()
	if op != "remove" {
		d.cost += sizeJSON(value)
	}
}

// overhead is what an operation at the present path costs beside its value.
func (d *differ) overhead() int {
	n := len(`{"op":"remove","path":"","value":},`)
	for _, t := range d.path {
		n += len("/") + len(t)
	}
	return n
}

// at does f one token deeper.
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
		if !equalJSON(old, new) {
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
	for _, key := range sortedKeys(old) {
		v, stays := new[key]
		d.at(key, func() {
			if stays {
				d.value(old[key], v)
			} else {
				d.emit("remove", nil)
			}
		})
	}
	for _, key := range sortedKeys(new) {
		if _, had := old[key]; !had {
			d.at(key, func() { d.emit("add", new[key]) })
		}
	}
}

// arrays pairs elements by position after what both begin and end with is set aside. That finds what agents
// do, appending, inserting and dropping in one place, in linear time.
func (d *differ) arrays(old, new []any) {
	start := 0
	for start < len(old) && start < len(new) && equalJSON(old[start], new[start]) {
		start++
	}
	tail := 0
	for tail < len(old)-start && tail < len(new)-start && equalJSON(old[len(old)-1-tail], new[len(new)-1-tail]) {
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
