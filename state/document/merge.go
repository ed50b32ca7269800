package document

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// MergeOptions say how far a client's state counts.
type MergeOptions struct {
	// Writable lists the pointers at and below which the client may write; nil means everywhere.
	Writable []string
	// Refused, if set, is called with each pointer at which the client changed something that it may not write.
	Refused func(pointer string)
	// First is set for a thread's first request: what d holds are only defaults, which the client's values go before.
	First bool
}

// MergeClient brings into d what the client changed between base, the state it last saw, and client, the
// state it sends. Objects are merged member by member, at every depth:
//
//   - what the client changed and we did not is the client's; what both changed is ours
//   - a member only the client has is taken; one that we have removed since base stays removed
//   - a member of base that the client left out is removed, unless we changed it or the client's object is
//     empty: an empty object is what a page starts from, not a wish
//   - an empty array or object never replaces a filled one
//
// Everything else is a value and merged as a whole, arrays included. A number is changed if its float64 is: how a
// client spells one that it was sent is no edit, and what it left alone in an array that it edited keeps our spelling.
// With an empty base this takes the members we lack and nothing more. A client state that is no object has no members.
// Reducers are not asked: the client's state is the wanted one, not a contribution. The errors are [ErrValue] for a
// value that is not JSON, [ErrTooLarge] and OnChange's.
func MergeClient(d *Document, base, client json.RawMessage, o MergeOptions) error {
	theirs, err := optional(client)
	if err != nil {
		return err
	}
	known, err := optional(base)
	if err != nil {
		return err
	}
	wants, ok := theirs.(map[string]any)
	if !ok {
		return nil
	}
	before, _ := known.(map[string]any)
	return d.update(func() ([]jsonpatch.Edit, error) {
		m := merger{o: o}
		m.objects(before, d.tree.Root, wants)
		return m.edits, nil
	})
}

// optional reads raw, or nothing as null.
func optional(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	return jsonpatch.Parse(raw)
}

type merger struct {
	o     MergeOptions
	path  []string
	edits []jsonpatch.Edit
}

// objects merges the members of theirs into ours.
func (m *merger) objects(base, ours, theirs map[string]any) {
	if len(theirs) == 0 {
		return
	}
	for _, key := range jsonpatch.SortedKeys(base) {
		if _, kept := theirs[key]; kept || m.o.First {
			continue
		}
		if mine, ok := ours[key]; ok && jsonpatch.Identical(mine, base[key]) {
			m.at(key, func() { m.emit("remove", nil) })
		}
	}
	for _, key := range jsonpatch.SortedKeys(theirs) {
		m.at(key, func() { m.member(key, base, ours, theirs[key]) })
	}
}

// member merges one member of the client's object, at m.path.
func (m *merger) member(key string, base, ours map[string]any, want any) {
	before, known := base[key]
	mine, have := ours[key]
	if m.o.First {
		before, known = mine, have
	}
	if known && SameValue(want, before) || have && SameValue(want, mine) {
		return
	}
	wantMembers, isObject := want.(map[string]any)
	mineMembers, areObjects := mine.(map[string]any)
	switch {
	case isObject && areObjects:
		beforeMembers, _ := before.(map[string]any)
		m.objects(beforeMembers, mineMembers, wantMembers)
	case !have && !known:
		m.emit("add", want)
	case !have || !known || !jsonpatch.Identical(mine, before): // we changed it too
	case emptied(mine, want):
	default:
		m.emit("replace", Respell(want, mine))
	}
}

// emptied says whether want is a container with nothing in it where mine has something.
func emptied(mine, want any) bool {
	switch want.(type) {
	case []any, map[string]any:
		return !filled(want) && filled(mine)
	}
	return false
}

func (m *merger) at(token string, f func()) {
	m.path = append(m.path, token)
	f()
	m.path = m.path[:len(m.path)-1]
}

// emit writes the edit if the client may write there.
func (m *merger) emit(op string, want any) {
	pointer := Pointer(m.path...)
	if m.o.Writable == nil ||
		slices.ContainsFunc(m.o.Writable, func(top string) bool { return jsonpatch.Below(pointer, top) }) {
		m.edits = append(m.edits, jsonpatch.Edit{Op: op, Path: slices.Clone(m.path), Value: want})
	} else if m.o.Refused != nil {
		m.o.Refused(pointer)
	}
}
