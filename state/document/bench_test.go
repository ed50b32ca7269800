package document

import (
	"fmt"
	"strings"
	"testing"
)

// weigh returns a document of about n bytes, nested as agents' states are.
func weigh(b *testing.B, n int) *Document {
	b.Helper()
	d, err := New(nil, Options{OnChange: func(Change) error { return nil }})
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; d.tree.Size < n; i++ {
		item := map[string]any{"id": i, "name": strings.Repeat("n", 40), "tags": []string{"a", "b"}}
		if err := d.Set(fmt.Sprintf("/groups/g%d/items/-", i%50), item); err != nil {
			b.Fatal(err)
		}
	}
	return d
}

// BenchmarkSet sets a small value. T2: what it costs does not depend on the document.
func BenchmarkSet(b *testing.B) {
	perOp := map[string]float64{}
	for _, size := range []struct {
		name string
		n    int
	}{{"1KB", 1 << 10}, {"50KB", 50 << 10}, {"1MB", 1 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			d := weigh(b, size.n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := d.Set("/groups/g0/count", i); err != nil {
					b.Fatal(err)
				}
			}
			perOp[size.name] = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if small := perOp["1KB"]; small > 0 {
				b.ReportMetric(perOp[size.name]/small, "times-1KB")
			}
		})
	}
}

// BenchmarkReplace replaces the whole document by itself with one member changed, the way without a pointer.
func BenchmarkReplace(b *testing.B) {
	d := weigh(b, 1<<20)
	other := d.Clone()
	if err := other.Set("/groups/g0/count", 1); err != nil {
		b.Fatal(err)
	}
	states := [][]byte{other.JSON(), d.JSON()}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := d.Replace(states[i%2]); err != nil {
			b.Fatal(err)
		}
	}
}
