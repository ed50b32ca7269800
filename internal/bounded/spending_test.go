package bounded

import (
	"math"
	"strconv"
	"testing"
	"time"
)

func TestSpending(t *testing.T) {
	t.Parallel()
	table, now := NewSpending(3), time.Unix(1000, 0)
	spent := func(name string, want int64) {
		t.Helper()
		if got, _ := table.Spent(name, now); got != want {
			t.Errorf("%s has spent %d, want %d", name, got, want)
		}
	}
	table.Add("ada", 5, now, time.Hour)
	table.Add("ada", 0, now, time.Hour)
	table.Add("ada", -1, now, time.Hour)
	now = now.Add(time.Minute)
	table.Add("ada", 2, now, time.Hour)
	spent("ada", 7)
	spent("bob", 0)
	if _, until := table.Spent("ada", now); !until.Equal(now.Add(59 * time.Minute)) {
		t.Errorf("the window ends at %v", until)
	}
	table.Add("bob", math.MaxInt64, now, time.Hour)
	table.Add("bob", 1, now, time.Hour)
	spent("bob", math.MaxInt64)
	now = now.Add(59 * time.Minute)
	spent("ada", 0)
	spent("bob", math.MaxInt64)
	table.Add("ada", 1, now, time.Hour)
	spent("ada", 1)
}

// TestHeavyOwnersAreNotForgottenBeforeLightOnes however many there are, and whoever came first.
func TestHeavyOwnersAreNotForgottenBeforeLightOnes(t *testing.T) {
	t.Parallel()
	const most = 100
	table, now := NewSpending(most), time.Unix(1000, 0)
	for i := range most / 2 {
		table.Add("heavy"+strconv.Itoa(i), int64(1000+i), now, time.Hour)
	}
	for i := range 10 * most {
		table.Add("light"+strconv.Itoa(i), 1+int64(i%7), now, time.Hour)
	}
	if got := table.table.Len(); got != most {
		t.Errorf("%d owners are known, want %d", got, most)
	}
	for i := range most / 2 {
		if got, _ := table.Spent("heavy"+strconv.Itoa(i), now); got != int64(1000+i) {
			t.Errorf("heavy%d has spent %d", i, got)
		}
	}
	now = now.Add(time.Hour)
	table.Add("new", 1, now, time.Hour)
	if got := table.table.Len(); got != 1 {
		t.Errorf("%d owners are known after their windows", got)
	}
}
