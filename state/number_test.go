package state

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Runs of earlier versions have no numbers, and such a version drops those that it finds.
func TestNumbersOfRuns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		stored, want []int // newest first
	}{
		{"none", nil, nil},
		{"all are known", []int{3, 2, 1}, []int{3, 2, 1}},
		{"the oldest are forgotten", []int{70, 69}, []int{70, 69}},
		{"none is known", []int{0, 0, 0}, []int{3, 2, 1}},
		{"an earlier version ran last", []int{0, 0, 7, 6}, []int{9, 8, 7, 6}},
		{"an earlier version ran between", []int{9, 0, 0, 6}, []int{9, 8, 7, 6}},
	} {
		var runs []Run
		for _, n := range test.stored {
			runs = append(runs, Run{Number: n})
		}
		var got []int
		for _, r := range numbered(runs) {
			got = append(got, r.Number)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the numbers are %v, want %v", test.name, got, test.want)
		}
	}
}

// A run follows the newest, also if that one has no number yet.
func TestARunGetsTheNextNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		newest  int
		earlier []Run
		want    int
	}{{7, nil, 8}, {0, nil, 2}, {0, []Run{{}, {}}, 4}, {0, []Run{{Number: 11}, {}}, 13}} {
		f := thread("u1 a1")
		f.Thread.Run = &Run{RunID: "before", Number: test.newest, Status: RunSuccess}
		f.Earlier = test.earlier
		r := ask("u2")
		v := Admit(&f.Thread, f, r, noon)
		s, err := PlanBegin(&f.Thread, f, r, v, Claim{Attempt: "a", Fence: 50}, noon)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{test.want, test.want - 1}, []int{s.Thread.Run.Number, s.Ended.Number}); diff != "" {
			t.Errorf("behind %d and %d others (-want +got):\n%s", test.newest, len(test.earlier), diff)
		}
	}
}
