package state

import (
	"encoding/json"
	"strings"
	"testing"
)

// A run that leaves a large state alone must not pay for its size (T2, R6).
func TestUnchangedStateCostsNothing(t *testing.T) {
	large := json.RawMessage(`{"items":[` + strings.TrimSuffix(strings.Repeat(`{"id":1,"tags":["a","b"]},`, 40_000), ",") + `]}`)
	for _, test := range []struct {
		name       string
		transition func(f *fixture)
	}{
		{"begin", func(f *fixture) {
			f.Thread.Live = nil
			f.begin(t, ask("u4", func(r *Request) { r.Hash = "new" }))
		}},
		{"end", func(f *fixture) { f.commit(t, Commit{End: &End{Status: RunSuccess}}) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := chat().in(string(large))
			f.begin(t, ask("u3"))
			before := *f
			if n := testing.AllocsPerRun(5, func() {
				again := before
				test.transition(&again)
			}); n > 1000 {
				t.Errorf("a transition makes %.0f allocations with a state of %d bytes", n, len(large))
			}
		})
	}
}
