package main

import "testing"

// TestGarbagePercent checks the collector's least garbage for a small heap, and Go's default for a large one.
func TestGarbagePercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scanned uint64
		want    int
	}{{0, 6400}, {1 << 20, 6400}, {8 << 20, 800}, {32 << 20, 200}, {64 << 20, 100}, {1 << 40, 100}} {
		if got := garbagePercent(test.scanned); got != test.want {
			t.Errorf("garbagePercent(%d) = %d, want %d", test.scanned, got, test.want)
		}
	}
	if scanned() == 0 {
		t.Error("nothing was scanned: the runtime has other metrics")
	}
}
