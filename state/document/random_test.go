package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/state/internal/jsontest"
)

// A generator changes the documents of jsontest, and makes patches of them.
type generator struct{ jsontest.Generator }

// newGenerator returns a generator with another seed each time, which a failing test prints. STATE_SEED repeats one.
func newGenerator(t *testing.T) generator { return generator{jsontest.New(t)} }

// vary returns a changed copy of v.
func (g generator) vary(v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range jsonpatch.SortedKeys(v) {
			switch g.IntN(6) {
			case 0:
			case 1, 2:
				out[key] = g.vary(v[key], depth-1)
			default:
				out[key] = jsonpatch.Clone(v[key])
			}
		}
		if g.IntN(3) == 0 {
			out[jsontest.Pick(g.Generator, jsontest.Keys)] = g.Value(depth - 1)
		}
		return out
	case []any:
		out := jsonpatch.Clone(v).([]any)
		for range g.IntN(3) {
			i := g.IntN(len(out) + 1)
			switch {
			case i == len(out) || g.IntN(3) == 0:
				out = slices.Insert(out, i, g.Value(depth-1))
			case g.IntN(2) == 0:
				out = slices.Delete(out, i, i+1)
			default:
				out[i] = g.vary(out[i], depth-1)
			}
		}
		return out
	}
	return g.Value(depth)
}

// pointer returns a pointer that leads somewhere in v, or nearly.
func (g generator) pointer(v any) string {
	var path []string
	for g.IntN(4) > 0 {
		switch c := v.(type) {
		case map[string]any:
			key := jsontest.Pick(g.Generator, jsontest.Keys)
			if keys := jsonpatch.SortedKeys(c); len(keys) > 0 && g.IntN(4) > 0 {
				key = jsontest.Pick(g.Generator, keys)
			}
			path, v = append(path, key), c[key]
		case []any:
			i := g.IntN(len(c) + 1)
			if path, v = append(path, strconv.Itoa(i)), nil; i < len(c) {
				v = c[i]
			} else if g.IntN(2) == 0 {
				path[len(path)-1] = "-"
			}
		default:
			path = append(path, jsontest.Pick(g.Generator, jsontest.Keys))
			return Pointer(path...)
		}
	}
	return Pointer(path...)
}

// judge applies p with evanphx/json-patch, the independent opinion.
func judge(doc json.RawMessage, p agui.Patch) (out json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	patch, err := evanphx.DecodePatch(raw)
	if err != nil {
		return nil, err
	}
	o := evanphx.NewApplyOptions()
	o.SupportNegativeIndices = false
	o.AccumulatedCopySizeLimit = jsonpatch.MaxCopied
	o.EscapeHTML = false
	return patch.ApplyWithOptions(doc, o)
}

// same compares documents by content.
func same(t *testing.T, what string, got, want json.RawMessage) {
	t.Helper()
	a, err := jsonpatch.Parse(got)
	if err != nil {
		t.Fatalf("%s: %v: %s", what, err, got)
	}
	b, err := jsonpatch.Parse(want)
	if err != nil {
		t.Fatalf("%s: %v: %s", what, err, want)
	}
	if !jsonpatch.Identical(a, b) {
		t.Fatalf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func TestDiffOfRandomPairs(t *testing.T) {
	t.Parallel()
	g := newGenerator(t)
	for i := range 2500 {
		a := g.Object(4)
		b := g.vary(a, 4)
		if i%10 == 0 {
			b = g.Object(4)
		}
		old, new := jsonpatch.Render(a), jsonpatch.Render(b)
		patch, err := Diff(old, new)
		if err != nil {
			t.Fatalf("Diff(%s, %s): %v", old, new, err)
		}
		if equal := jsonpatch.Identical(a, b); equal != (patch == nil) {
			t.Fatalf("Diff(%s, %s) = %v", old, new, patch)
		}
		text := fmt.Sprintf("pair %d: %s -> %s by %+v", i, old, new, patch)
		got, err := apply(old, patch)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		same(t, text, got, new)
		if got, err = judge(old, patch); err != nil {
			t.Fatalf("%s: evanphx: %v", text, err)
		}
		same(t, text+", by evanphx", got, new)
	}
}

// A reader is held to what a document tells it, and to the opinion of evanphx on each patch.
type mirror struct {
	t       *testing.T
	state   json.RawMessage
	changes []Change
}

func (m *mirror) follow(c Change) error {
	m.t.Helper()
	m.changes = append(m.changes, c)
	if len(c.Patch) == 0 {
		m.t.Fatalf("a change without operations on %s", m.state)
	}
	raw, err := json.Marshal(c.Patch)
	if err != nil || sizePatch(c.Patch) > len(raw) || len(raw) > 8*sizePatch(c.Patch) {
		m.t.Fatalf("sizePatch = %d, encoding/json: %d bytes, %v", sizePatch(c.Patch), len(raw), err)
	}
	before := m.state
	after, err := apply(before, c.Patch)
	if err != nil {
		m.t.Fatalf("%s by %s: %v", before, raw, err)
	}
	foreign, err := judge(before, c.Patch)
	if err != nil {
		m.t.Fatalf("%s by %s: evanphx: %v", before, raw, err)
	}
	same(m.t, fmt.Sprintf("%s by %s", before, raw), foreign, after)
	strict, err := c.Patch.Apply(context.Background(), before)
	if err != nil {
		m.t.Fatalf("%s by %s: as the reference client: %v", before, raw, err)
	}
	same(m.t, fmt.Sprintf("%s by %s, as the reference client", before, raw), strict, after)
	back, err := apply(after, c.Undo)
	if err != nil {
		m.t.Fatalf("undo of %s by %s: %+v: %v", before, raw, c.Undo, err)
	}
	same(m.t, fmt.Sprintf("undo of %s by %s: %+v", before, raw, c.Undo), back, before)
	if c.Snapshot != nil {
		same(m.t, "snapshot", c.Snapshot, after)
	} else if sizePatch(c.Patch) > len(after) {
		m.t.Fatalf("%s is longer than %s", raw, after)
	}
	m.state = after
	return nil
}

func TestRandomChanges(t *testing.T) {
	t.Parallel()
	g := newGenerator(t)
	refused := []error{ErrNotFound, ErrPointer, ErrValue, ErrTooLarge, ErrPatch}
	for i := range 150 {
		m := &mirror{t: t, state: jsonpatch.Render(g.Object(4))}
		first := m.state
		d, err := New(m.state, Options{OnChange: m.follow, MaxSize: 4000})
		if err != nil {
			t.Fatal(err)
		}
		for range 15 {
			before, told := d.JSON(), len(m.changes)
			switch g.IntN(6) {
			case 0:
				err = d.Remove(g.pointer(d.tree.Root))
			case 1:
				err = d.Replace(jsonpatch.Render(g.vary(d.tree.Root, 4)))
			case 2:
				err = d.Apply(t.Context(), g.patch(d.tree.Root))
			default:
				err = d.Set(g.pointer(d.tree.Root), jsonpatch.Render(g.Value(3)))
			}
			if err != nil {
				if !slices.ContainsFunc(refused, func(want error) bool { return errors.Is(err, want) }) {
					t.Fatalf("document %d: %v", i, err)
				}
				same(t, "after "+err.Error(), d.JSON(), before)
				if len(m.changes) != told {
					t.Fatalf("document %d: told of a change that failed", i)
				}
			}
			if got := len(d.JSON()); got != d.tree.Size || got != jsonpatch.Size(d.tree.Root) {
				t.Fatalf("document %d: its tree has %d bytes, want %d: %s", i, d.tree.Size, got, d.JSON())
			}
			if !json.Valid(d.JSON()) {
				t.Fatalf("not JSON: %s", d.JSON())
			}
			same(t, "mirror", m.state, d.JSON())
		}
		var past History
		for _, c := range m.changes {
			past = past.With("start", c.Undo)
		}
		if len(m.changes) > 0 {
			back, ok, err := stateAt(past, d.JSON(), "start")
			if !ok || err != nil {
				t.Fatalf("stateAt() = %t, %v", ok, err)
			}
			same(t, "history", back, first)
		}
	}
}

// patch returns a foreign patch that has a chance to apply to v.
func (g generator) patch(v any) agui.Patch {
	var p agui.Patch
	for range 1 + g.IntN(3) {
		op := agui.PatchOp{Op: jsontest.Pick(g.Generator, []string{"add", "add", "remove", "replace", "move", "move", "copy", "test"})}
		op.Path, op.From = g.pointer(v), g.pointer(v)
		op.Value = jsonpatch.Render(g.Value(2))
		if path, _ := jsonpatch.ParsePointer(op.Path); op.Op == "test" && g.IntN(2) == 0 {
			at, _ := jsonpatch.Find(v, path)
			op.Value = jsonpatch.Render(at)
		}
		p = append(p, op)
	}
	return p
}

// trodden says whether evanphx/json-patch is known to judge by the RFC where p leads: not at empty names, at the
// root, in tests, or where a value is moved into itself.
func trodden(p agui.Patch) bool {
	for _, op := range p {
		path, err := jsonpatch.ParsePointer(op.Path)
		from, other := jsonpatch.ParsePointer(op.From)
		if err != nil || other != nil || op.Op == "test" || slices.Contains(path, "") || slices.Contains(from, "") ||
			len(path) == 0 || (op.Op == "move" || op.Op == "copy") && len(from) == 0 || slices.Contains(path, "01") || slices.Contains(from, "01") ||
			op.Op == "move" && len(path) > len(from) && slices.Equal(path[:len(from)], from) {
			return false
		}
	}
	return true
}

func TestApplyAgreesWithEvanphx(t *testing.T) {
	t.Parallel()
	g := newGenerator(t)
	both, neither := 0, 0
	for range 5000 {
		doc := g.Object(4)
		p := g.patch(doc)
		if !trodden(p) {
			continue
		}
		old := jsonpatch.Render(doc)
		ours, err := apply(old, p)
		theirs, other := judge(old, p)
		if (err == nil) != (other == nil) {
			t.Fatalf("%s by %+v: ours %s %v, evanphx %s %v", old, p, ours, err, theirs, other)
		}
		if err != nil {
			neither++
			continue
		}
		both++
		same(t, fmt.Sprintf("%s by %+v", old, p), ours, theirs)
	}
	if both < 100 || neither < 100 {
		t.Errorf("judged alike: %d applied, %d refused", both, neither)
	}
}

// What an activity's patch does in [agui] is what it would do to a document.
func TestApplyAgreesWithTheProtocols(t *testing.T) {
	t.Parallel()
	g := newGenerator(t)
	both, neither := 0, 0
	for range 5000 {
		doc := g.Object(4)
		p := g.patch(doc)
		old := jsonpatch.Render(doc)
		ours, err := apply(old, p)
		theirs, other := p.Apply(t.Context(), old)
		if other != nil && slices.ContainsFunc(p, leadsAstray) {
			continue // it is refused there, for no client follows
		}
		if (err == nil) != (other == nil) {
			t.Fatalf("%s by %+v: ours %s %v, the protocol's %s %v", old, p, ours, err, theirs, other)
		}
		if err != nil {
			neither++
			continue
		}
		both++
		same(t, fmt.Sprintf("%s by %+v", old, p), theirs, ours)
	}
	if both < 300 || neither < 300 {
		t.Errorf("judged alike: %d applied, %d refused", both, neither)
	}
}

// leadsAstray reports whether op leads where some client cannot follow: to a JavaScript prototype, or by a move
// through the array it takes from.
func leadsAstray(op agui.PatchOp) bool {
	holder := op.From[:strings.LastIndexByte(op.From, '/')+1]
	return strings.Contains(op.Path+op.From, "/__proto__") || strings.Contains(op.Path+op.From, "/prototype") ||
		op.Op == "move" && strings.HasPrefix(op.Path, holder) && strings.Contains(op.Path[len(holder):], "/")
}
