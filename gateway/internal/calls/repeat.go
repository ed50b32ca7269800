package calls

import (
	"time"

	"github.com/agui-gateway/gateway/internal/lock"
)

// Repeat calls do after first, and again after each delay that it returns, until it returns false or stop is called.
// Between calls there is a timer and no goroutine, because there may be one for each open run. stop waits for a running
// call, so do must not call it.
func Repeat(first time.Duration, do func() (next time.Duration, again bool)) (stop func()) {
	turn := lock.New() // held during a call
	stopped := false
	var timer *time.Timer
	turn.Lock() // the timer may fire before it is assigned
	timer = time.AfterFunc(first, func() {
		turn.Lock()
		defer turn.Unlock()
		if stopped {
			return
		}
		if next, again := do(); again {
			timer.Reset(next)
		}
	})
	turn.Unlock()
	return func() {
		turn.Lock()
		defer turn.Unlock()
		stopped = true
		timer.Stop()
	}
}
