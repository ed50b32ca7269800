package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// leastGarbage is the least number of bytes allocated between two garbage collections.
const leastGarbage = 64 << 20

// collectLess makes the garbage collector wait for leastGarbage, after each collection. A gateway with short runs has a
// live heap of a few MB, and the default would collect many times per second.
func collectLess() {
	collected := new([2]*byte) // garbage immediately
	runtime.AddCleanup(collected, func(struct{}) {
		debug.SetGCPercent(garbagePercent(scanned()))
		collectLess()
	}, struct{}{})
}

// garbagePercent returns GOGC for a collection that scans so many bytes.
func garbagePercent(scanned uint64) int {
	return max(100, int(leastGarbage*100/max(scanned, 1<<20)))
}

// scanned returns the bytes scanned by the last collection, the base of GOGC.
func scanned() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"},
		{Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	var sum uint64
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			sum += s.Value.Uint64()
		}
	}
	return sum
}
