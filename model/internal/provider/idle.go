package provider

import (
	"sync"
	"time"
)

// An idleTimer calls expired when a reply is silent for too long.
type idleTimer struct {
	after   time.Duration
	expired func()

	mu    sync.Mutex
	timer *time.Timer
}

func (w *idleTimer) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.after, w.expired)
}

// touch begins to wait anew, because something of the reply came.
func (w *idleTimer) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Reset(w.after)
	}
}

// usageWait is how long the end of a complete reply is waited for.
const usageWait = 5 * time.Second

// shorten waits for no longer than usageWait from now on.
func (w *idleTimer) shorten() {
	w.mu.Lock()
	w.after = min(w.after, usageWait)
	w.mu.Unlock()
	w.touch()
}

func (w *idleTimer) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}
