package main

import (
	"strings"
	"testing"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	const said = `goos: linux
BenchmarkCompare/server=floor 	1	3000 ns/event	1.00 times-floor
BenchmarkCompare/server=gateway-memory 	1	6000 ns/event	2.00 times-floor
BenchmarkCompare/server=gateway-memory 	1	7500 ns/event	2.50 times-floor
BenchmarkCompare/server=gateway-memory 	1	30000 ns/event	10.0 times-floor
BenchmarkChunk/plain-8  	  100	1500 ns/op	  8 B/op	  1 allocs/op
BenchmarkList/store=file/page=first-8  	  20	 9 ns/op	4.000 ms-least
BenchmarkList/store=redis/page=middle-8  	  20	 9 ns/op	6.000 ms-least
ok  	bench	1s
`
	m, err := readFigures(strings.NewReader(said))
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]float64{
		"CPU of an event, memory, times the floor": 2.5, "a model's chunk, parts of the floor's event": 0.5,
		"a page of 50,000 threads, first or middle, ms": 6, "CPU of an event, Redis, times the floor": 0,
	} {
		for _, one := range targets {
			if one.what != what {
				continue
			}
			if got, ok := m.of(one); got.middle != want || ok != (want > 0) {
				t.Errorf("%s: %+v, %t, want %g", what, got, ok, want)
			}
		}
	}
	var out strings.Builder
	err = m.report(&out, true)
	if err == nil || !strings.Contains(err.Error(), "Redis, times the floor: not measured") {
		t.Errorf("report() = %v", err)
	}
	for _, want := range []string{"2.50 (2.00 to 10.00)  reached", "not measured"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, out.String())
		}
	}
}
