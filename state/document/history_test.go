package document

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// stateAt is the state that a mark names, and whether it is kept; of a mark that was used twice it is the later one.
func stateAt(h History, current json.RawMessage, mark string) (json.RawMessage, bool, error) {
	at := h.Index(mark)
	if at < 0 {
		return nil, false, nil
	}
	text, err := h.Back(current, at)
	return text, true, err
}

func TestHistory(t *testing.T) {
	t.Parallel()
	var past History
	var copies []History
	mark := ""
	d, err := New(nil, Options{OnChange: func(c Change) error {
		copies = append(copies, past)
		past = past.With(mark, c.Undo)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	const runs = MaxMarks + 5
	states := map[string]string{}
	for i := range runs {
		mark = fmt.Sprintf("run %d", i)
		states[mark] = string(d.JSON())
		for _, pointer := range []string{"/n", "/list/-", "//odd"} { // several commits of one run
			if err := d.Set(pointer, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	stored, err := json.Marshal(past)
	if err != nil {
		t.Fatal(err)
	}
	var read History
	if err := json.Unmarshal(stored, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Marks) != MaxMarks {
		t.Fatalf("%d marks are kept, want %d", len(read.Marks), MaxMarks)
	}
	for i := range runs {
		name := fmt.Sprintf("run %d", i)
		got, ok, err := stateAt(read, d.JSON(), name)
		if kept := i >= runs-MaxMarks; err != nil || ok != kept || kept && string(got) != states[name] {
			t.Errorf("stateAt(%s) = %s, %t, %v, want %s", name, got, ok, err, states[name])
		}
	}
	oldest := states[read.Marks[0].Name]
	if got, err := read.Oldest(d.JSON(), "run 0"); err != nil || string(got) != oldest {
		t.Errorf("Oldest(run 0) = %s, %v, want %s", got, err, oldest)
	}
	if got, err := read.Oldest(d.JSON(), mark); err != nil || string(got) != states[mark] {
		t.Errorf("Oldest(%s) = %s, %v, want %s", mark, got, err, states[mark])
	}
	if _, _, err := stateAt(read, json.RawMessage(`{}`), mark); err == nil {
		t.Error("stateAt() led back from a state it does not begin at")
	}
	for i, c := range copies {
		if len(c.Marks) > MaxMarks || i > 0 && c.Marks[len(c.Marks)-1].Name != fmt.Sprintf("run %d", (i-1)/3) {
			t.Fatalf("copy %d changed with a later push", i)
		}
	}
}

func TestHistoryOfNothing(t *testing.T) {
	t.Parallel()
	var past History
	if got, ok, err := stateAt(past, nil, "x"); ok || err != nil {
		t.Errorf("stateAt() = %s, %t, %v", got, ok, err)
	}
	if got, err := past.Oldest(nil, "x"); err != nil || string(got) != `{}` {
		t.Errorf("Oldest() = %s, %v", got, err)
	}
	past = past.With("x", agui.Patch{})
	if got, ok, err := stateAt(past, json.RawMessage(`{"a":1}`), "x"); !ok || err != nil || string(got) != `{"a":1}` {
		t.Errorf("stateAt() of a run that changed nothing = %s, %t, %v", got, ok, err)
	}
}

// What a state was before is kept for a while, and not at any price.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	var past History
	undo := agui.Patch{{Op: "replace", Path: "/text", Value: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}}
	for i := range MaxMarks {
		past = past.With(fmt.Sprintf("run %d", i), undo)
	}
	size := 0
	for _, m := range past.Marks {
		size += sizePatch(m.Undo)
	}
	if size > 5<<20 || len(past.Marks) < 2 {
		t.Errorf("%d marks of %d bytes are kept", len(past.Marks), size)
	}
}
