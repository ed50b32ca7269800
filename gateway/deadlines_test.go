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

// As many questions are watched as there may be, and a place becomes free when a deadline is over.
func TestMostDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l deadlines
		var over atomic.Int64
		done := func() bool { over.Add(1); return true }
		for range maxDeadlines {
			l.add(time.Hour, done)
		}
		l.add(time.Minute, done)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := over.Load(); n != 0 {
			t.Errorf("%d deadlines are watched beyond the limit", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		l.add(time.Minute, done)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := over.Load(); n != maxDeadlines+1 {
			t.Errorf("%d deadlines were over, want %d", n, maxDeadlines+1)
		}
	})
}
