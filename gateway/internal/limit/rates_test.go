package limit

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRates(2, 3, time.Now)
		for i, step := range []struct {
			pause, want time.Duration
		}{
			{0, 0}, {0, 0}, {0, 0}, // the burst
			{0, 500 * time.Millisecond}, {0, 500 * time.Millisecond}, // a refusal consumes nothing
			{200 * time.Millisecond, 300 * time.Millisecond},
			{300 * time.Millisecond, 0},
			{0, 500 * time.Millisecond},
			{time.Hour, 0}, {0, 0}, {0, 0}, // the burst again, and no more
			{0, 500 * time.Millisecond},
		} {
			time.Sleep(step.pause)
			if got := r.Take("ada"); got != step.want {
				t.Errorf("Take() %d = %v, want %v", i, got, step.want)
			}
		}
		if got := r.Take("bob"); got != 0 {
			t.Errorf("Take() of another = %v, want 0", got)
		}
	})
}

// A table evicts owners with a full burst, because they are like unknown ones.
func TestRatesForgetTheIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRates(1, 2, time.Now)
		for i := range 100 {
			r.Take(strconv.Itoa(i))
		}
		time.Sleep(2*time.Second - time.Nanosecond)
		r.Take("ada")
		if got := r.owned(); got != 101 {
			t.Errorf("%d owners a moment before, want 101", got)
		}
		time.Sleep(time.Nanosecond)
		r.Take("ada")
		if got := r.owned(); got != 1 {
			t.Errorf("%d owners, want 1", got)
		}
	})
}

// However many owners there are, a table remembers so many, and those that were seen last.
func TestRatesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRates(1, 1, time.Now)
		for i := range maxOwners {
			r.Take(strconv.Itoa(i))
		}
		if got := r.Take("0"); got != time.Second || r.owned() != maxOwners {
			t.Errorf("Take() of the first = %v with %d owners, want 1s with %d", got, r.owned(), maxOwners)
		}
		r.Take("one more")
		if got := r.Take("0"); got != time.Second || r.owned() != maxOwners {
			t.Errorf("Take() of who was seen lately = %v with %d owners, want 1s with %d", got, r.owned(), maxOwners)
		}
		if got := r.Take("1"); got != 0 {
			t.Errorf("Take() of who was seen longest ago = %v, want 0", got)
		}
	})
}

func TestWithoutARateNobodyWaits(t *testing.T) {
	t.Parallel()
	for _, r := range []*Rates{nil, NewRates(0, 1, time.Now), NewRates(1, 0, time.Now), NewRates(-1, -1, time.Now)} {
		for range 100 {
			if got := r.Take("ada"); got != 0 {
				t.Fatalf("Take() = %v, want 0", got)
			}
		}
	}
}

// owned returns how many owners are remembered.
func (r *Rates) owned() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owners.Len()
}
