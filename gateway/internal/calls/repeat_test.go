package calls_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
)

func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var at []time.Duration
		stop := calls.Repeat(time.Second, func() (time.Duration, bool) {
			at = append(at, time.Since(begun))
			return 2 * time.Second, true
		})
		time.Sleep(6 * time.Second)
		stop()
		time.Sleep(time.Minute)
		if want := []time.Duration{time.Second, 3 * time.Second, 5 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("called at %v, want %v", at, want)
		}
		stop() // a second time there is nothing to stop
	})
}

func TestRepeatEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		stop := calls.Repeat(0, func() (time.Duration, bool) {
			n++
			return time.Second, n < 3
		})
		time.Sleep(time.Minute)
		stop()
		if n != 3 {
			t.Errorf("called %d times, want 3", n)
		}
	})
}

func TestRepeatStopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := false
		stop := calls.Repeat(0, func() (time.Duration, bool) {
			time.Sleep(time.Second)
			done = true
			return 0, true
		})
		time.Sleep(time.Millisecond)
		stop()
		if !done {
			t.Error("stop returned before the call that was going on")
		}
	})
}
