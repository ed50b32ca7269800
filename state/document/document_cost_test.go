package document

import (
	"context"
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// TestADeltaCostsWhatChanged holds a change of one member to costing the same in a document of a kilobyte and in one of
// a megabyte, in bytes allocated and in bytes that readers are sent. It is not parallel, since it counts allocations.
func TestADeltaCostsWhatChanged(t *testing.T) {
	changes := map[string]func(d *Document, i int) error{
		"set a member":   func(d *Document, i int) error { return d.Set("/changing/n", json.RawMessage(strconv.Itoa(i))) },
		"append":         func(d *Document, i int) error { return d.Set("/changing/list/-", json.RawMessage(strconv.Itoa(i))) },
		"remove and set": func(d *Document, i int) error { return removeAndSet(d, i) },
		"apply a patch": func(d *Document, i int) error {
			return d.Apply(context.Background(), agui.Patch{{Op: "replace", Path: "/changing/n", Value: json.RawMessage(strconv.Itoa(i))}})
		},
		"an element's own": func(d *Document, i int) error {
			return d.Set("/changing/rows/1/n", json.RawMessage(strconv.Itoa(i)))
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			smallBytes, smallWire := costOfChanges(t, 1<<10, change)
			largeBytes, largeWire := costOfChanges(t, 1<<20, change)
			if largeWire != smallWire {
				t.Errorf("readers are sent %d bytes of a large document, %d of a small one", largeWire, smallWire)
			}
			if largeBytes > 2*smallBytes {
				t.Errorf("a change allocates %d bytes in a large document, %d in a small one, want at most twice as many", largeBytes, smallBytes)
			}
		})
	}
}

func removeAndSet(d *Document, i int) error {
	if err := d.Remove("/changing/n"); err != nil {
		return err
	}
	return d.Set("/changing/n", json.RawMessage(strconv.Itoa(i)))
}

// costOfChanges makes a hundred changes to a document of about size bytes, and returns what one allocates and what all
// send.
func costOfChanges(t *testing.T, size int, change func(d *Document, i int) error) (allocated uint64, sent int) {
	t.Helper()
	doc := `{"changing":{"n":0,"list":[],"rows":[{"n":0},{"n":0}]},"rest":[`
	item := `{"name":"` + strings.Repeat("x", 80) + `"}`
	doc += strings.Repeat(item+",", size/len(item)) + item + `]}`
	d, err := New(json.RawMessage(doc), Options{MaxSize: 4 << 20, MaxPatchOps: 1000, OnChange: func(c Change) error {
		if c.Snapshot != nil {
			t.Errorf("a snapshot is sent for %v", c.Patch)
		}
		sent += sizePatch(c.Patch)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	const times = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range times {
		if err := change(d, i+1); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / times, sent
}

// TestCopiedCountsWhatPatchesCopy also in a patch that is refused in the end.
func TestCopiedCountsWhatPatchesCopy(t *testing.T) {
	t.Parallel()
	d, err := New(json.RawMessage(`{"a":"12345678"}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	copies := agui.PatchOp{Op: "copy", From: "/a", Path: "/b"}
	for i, tt := range []struct {
		patch agui.Patch
		fails bool
		want  int
	}{
		{agui.Patch{{Op: "add", Path: "/c", Value: json.RawMessage(`1`)}}, false, 0},
		{agui.Patch{copies}, false, 10},
		{agui.Patch{copies, copies}, false, 30},
		{agui.Patch{copies, {Op: "remove", Path: "/none"}}, true, 40},
	} {
		if err := d.Apply(t.Context(), tt.patch); (err != nil) != tt.fails || d.Copied() != tt.want {
			t.Errorf("patch %d: Apply() = %v, Copied() = %d, want %d", i, err, d.Copied(), tt.want)
		}
	}
}
