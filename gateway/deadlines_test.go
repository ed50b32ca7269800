package gateway

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A store that is away for an hour is not called each second for every expired question.
func TestADeadlineIsLookedAtAgainAtGrowingDistances(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l deadlines
		var looks atomic.Int64
		back := time.Now().Add(time.Hour)
		l.add(0, func() bool { looks.Add(1); return time.Now().After(back) })
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if n := looks.Load(); n < 60 || n > 70 {
			t.Errorf("the store was asked %d times within an hour, want once a minute in the end", n)
		}
		if len(l.timers) != 0 {
			t.Errorf("%d timers are left", len(l.timers))
		}
		l.add(time.Hour, func() bool { t.Error("it was called after close"); return true })
		l.close()
		time.Sleep(2 * time.Hour)
	})
}
