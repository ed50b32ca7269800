package document

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// MaxMarks is how many marks a [History] keeps: the two ends of the last 20 runs. MaxPast is how many bytes their
// patches may take together; the newest two are kept in any case.
const (
	MaxMarks = 40
	MaxPast  = 4 << 20
)

// A History leads from a state back to earlier ones, by patches. It is a plain value: no copy changes with
// another, it can be stored as JSON, and its zero value knows no state. Its cost is proportional to changes, not to the
// states themselves.
type History struct {
	Marks []Mark `json:"marks,omitempty"` // oldest first
}

// A Mark names an earlier state and holds the way back to it: from the mark after it or, for the newest,
// from the present.
type Mark struct {
	Name string     `json:"name"`
	Undo agui.Patch `json:"undo"`
}

// With returns h with one more change: the state was as mark names it until a change that undo takes back.
// Given the newest mark again, undo is one more change since then, so that a run may add to it at every
// commit. The oldest marks go when there are more than [MaxMarks], or they take more than [MaxPast].
func (h History) With(mark string, undo agui.Patch) History {
	marks := slices.Clone(h.Marks) // other copies keep theirs
	if n := len(marks); n > 0 && marks[n-1].Name == mark {
		marks[n-1].Undo = slices.Concat(undo, marks[n-1].Undo)
	} else {
		marks = append(marks, Mark{Name: mark, Undo: undo})
	}
	return History{Marks: marks[len(marks)-kept(marks):]}
}

// kept is how many of marks, counted from the newest, are kept.
func kept(marks []Mark) int {
	size := 0
	for i, m := range slices.Backward(marks) {
		n := len(marks) - i
		if size += sizePatch(m.Undo); n > MaxMarks || n > 2 && size > MaxPast {
			return n - 1
		}
	}
	return len(marks)
}

// Changed reports whether the state that mark names is another than the present one, as far as h knows. It is cheaper
// than to work that state out.
func (h History) Changed(mark string) bool {
	return slices.ContainsFunc(h.Marks[max(0, h.Index(mark)):], func(m Mark) bool { return len(m.Undo) > 0 })
}

// Oldest returns the state that mark names or, if that is no longer kept, the oldest that is: current
// itself where there is none.
func (h History) Oldest(current json.RawMessage, mark string) (json.RawMessage, error) {
	return h.Back(current, max(0, h.Index(mark)))
}

// Approximate reports whether the state that mark names is not kept any more, and [History.Oldest] may return
// another one.
func (h History) Approximate(mark string) bool { return h.Index(mark) < 0 && h.Changed(mark) }

// Back undoes the marks from the newest to the one at index at.
func (h History) Back(current json.RawMessage, at int) (json.RawMessage, error) {
	root, err := jsonpatch.ParseObject(current)
	if err != nil {
		return nil, err
	}
	tree := jsonpatch.NewTree(root)
	c := jsonpatch.Change{Tree: &tree}
	for _, mark := range slices.Backward(h.Marks[at:]) {
		edits, err := editsOf(mark.Undo)
		if err != nil {
			return nil, err
		}
		if err := c.Apply(edits, 0); err != nil {
			return nil, err
		}
	}
	return jsonpatch.Render(tree.Root), nil
}

// Index returns the index of the newest mark with that name, or -1.
func (h History) Index(mark string) int {
	for i, m := range slices.Backward(h.Marks) {
		if m.Name == mark {
			return i
		}
	}
	return -1
}
