package redisstore

import "sync"

// turns wakes the requests of this process that wait for a thread. The zero value is ready.
type turns struct {
	mu      sync.Mutex
	waiting map[slot]map[chan struct{}]bool
}

// join returns a channel that says when to look again, until stop is called.
func (t *turns) join(h slot) (wake <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = map[slot]map[chan struct{}]bool{}
	}
	if t.waiting[h] == nil {
		t.waiting[h] = map[chan struct{}]bool{}
	}
	t.waiting[h][ch] = true
	return ch, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.waiting[h], ch)
		if len(t.waiting[h]) == 0 {
			delete(t.waiting, h)
		}
	}
}

// wake wakes those who wait for a thread.
func (t *turns) wake(h slot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ch := range t.waiting[h] {
		select {
		case ch <- struct{}{}:
		default: // it has not looked since the last time
		}
	}
}
