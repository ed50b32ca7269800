package main

import (
	"slices"
	"strings"
	"testing"
)

// TestTrend tests the verdict with series of known growth.
func TestTrend(t *testing.T) {
	noise := []float64{0, 3, -2, 1, -3, 2, 4, -1, 0, -4, 3, 1} // in hundredths, without a trend
	of := func(what string, at func(i int) float64) trend {
		var out trend
		for i := range noise {
			out.add("gateway", what, at(i))
		}
		return out
	}
	const mb = 1 << 20
	for _, test := range []struct {
		name  string
		trend trend
		grows bool
	}{
		{"a heap that is level but for noise", of("heap", func(i int) float64 { return 10 * mb * (1 + noise[i]/100) }), false},
		{"a heap that leaks a twentieth of itself each time", of("heap", func(i int) float64 { return 10 * mb * (1 + noise[i]/100 + .05*float64(i)) }), true},
		{"a small heap that leaks", of("heap", func(i int) float64 { return 2*mb + mb/4*float64(i) }), true},
		{"a heap that shrinks", of("heap", func(i int) float64 { return mb * float64(40-i) }), false},
		{"a peak at the end", of("heap", func(i int) float64 { return mb * (10 + float64(i/11)*50) }), false},
		{"a goroutine that is left now and then", of("goroutines", func(i int) float64 { return 20 + 2*float64(i) }), true},
		{"goroutines that come and go", of("goroutines", func(i int) float64 { return 20 + noise[i]/2 }), false},
		{"a descriptor for each visit", of("file descriptors", func(i int) float64 { return 20 + 44*float64(i) }), true},
		{"keys that stay", of("keys", func(i int) float64 { return 130 + 10*float64(i) }), true},
		{"two samples, of which nothing is known", trend{{of: "gateway", what: "heap", values: []float64{mb, mb}}}, true},
	} {
		if grows := slices.ContainsFunc(test.trend, (*series).grows); grows != test.grows {
			t.Errorf("%s: grows is %v", test.name, grows)
		}
		if told := strings.Contains(test.trend.table(), "**grows**"); told != test.grows {
			t.Errorf("%s: the table says\n%s", test.name, test.trend.table())
		}
	}
}
