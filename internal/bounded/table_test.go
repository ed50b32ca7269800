package bounded

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func TestTableEvicts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		entries int
		bytes   int64
		do      func(*Table[string, int])
		want    []string
	}{
		"what was put first":              {2, 100, func(*Table[string, int]) {}, []string{"b", "c"}},
		"what was not used":               {2, 100, func(t *Table[string, int]) { t.Use("a") }, []string{"a", "c"}},
		"what is read stays where it was": {2, 100, func(t *Table[string, int]) { t.Get("a") }, []string{"b", "c"}},
		"the lowest rank":                 {2, 100, func(t *Table[string, int]) { t.Rank("a", 9); t.Rank("b", 8) }, []string{"a", "c"}},
		"for bytes":                       {9, 25, func(*Table[string, int]) {}, []string{"b", "c"}},
		"all for one":                     {9, 10, func(*Table[string, int]) {}, []string{"c"}},
		"nothing after a deletion":        {2, 100, func(t *Table[string, int]) { t.Delete("b"); t.Delete("b") }, []string{"a", "c"}},
		"nothing of a key twice":          {3, 100, func(t *Table[string, int]) { t.Put("a", 1, 10) }, []string{"a", "b", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			table := New[string, int](test.entries, test.bytes)
			table.Put("a", 1, 10)
			table.Put("b", 2, 10)
			test.do(table)
			table.Put("c", 3, 10)
			var got []string
			for _, key := range []string{"a", "b", "c"} {
				if _, ok := table.Get(key); ok {
					got = append(got, key)
				}
			}
			if !slices.Equal(got, test.want) || table.Len() != len(got) || table.Bytes() != int64(10*len(got)) {
				t.Errorf("the table has %v, %d entries and %d bytes, want %v", got, table.Len(), table.Bytes(), test.want)
			}
		})
	}
}

// TestTableKeepsItsBounds under random calls, and ends empty.
func TestTableKeepsItsBounds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	table := New[string, int](20, 300)
	for range 10_000 {
		key := strconv.Itoa(random.IntN(100))
		switch random.IntN(4) {
		case 0:
			table.Delete(key)
		case 1:
			table.Use(key)
		default:
			table.Put(key, 0, random.Int64N(40))
		}
		if table.Len() > 20 || table.Bytes() > 300 || table.Len() != len(table.ranked) {
			t.Fatalf("%d entries, %d in the heap, %d bytes", table.Len(), len(table.ranked), table.Bytes())
		}
	}
	for key, _, ok := table.Lowest(); ok; key, _, ok = table.Lowest() {
		table.Delete(key)
	}
	if table.Len() != 0 || table.Bytes() != 0 {
		t.Errorf("%d entries, %d bytes are left", table.Len(), table.Bytes())
	}
}
