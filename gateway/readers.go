package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/state"
)

// readerCount counts the readers of each thread on this replica.
type readerCount struct {
	changed func(state.Key) // called after every change

	mu  sync.Mutex
	n   map[state.Key]*threadReaders
	all int // of all threads
}

// threadReaders counts the readers of one thread.
type threadReaders struct {
	n int
	// idle means that the thread had no live run at the last check, and that no reader has seen one start since.
	idle bool
}

// enter counts a reader, unless there are limit of the thread already, or most in all (0: no limit).
func (c *readerCount) enter(key state.Key, limit, most int) bool {
	c.mu.Lock()
	r := c.n[key]
	if limit > 0 && r != nil && r.n >= limit || most > 0 && c.all >= most {
		c.mu.Unlock()
		return false
	}
	c.all++
	if c.n == nil {
		c.n = map[state.Key]*threadReaders{}
	}
	if r == nil {
		r = &threadReaders{}
		c.n[key] = r
	}
	r.n++
	r.idle = false
	c.mu.Unlock()
	c.changed(key)
	return true
}

func (c *readerCount) leave(key state.Key) {
	c.mu.Lock()
	c.all--
	if r := c.n[key]; r.n == 1 {
		delete(c.n, key)
	} else {
		r.n--
	}
	c.mu.Unlock()
	c.changed(key)
}

// enterReader counts a reader of a thread until leaveReader, unless the thread, principal or gateway has too many.
func (g *Gateway) enterReader(key state.Key) error {
	if !g.limits.readers.Add(key.Principal, 1, g.limits.mostReaders) {
		return rateLimited(limit.ReadersPerPrincipal, retryAfter, "the principal has too many readers")
	}
	if !g.readers.enter(key, g.o.Limits.Readers, g.o.Limits.ReadersTotal) {
		g.limits.readers.Done(key.Principal, 1)
		return limit.Reached(limit.Readers,
			&errcode.Error{Code: errcode.Overloaded, Err: errors.New("gateway: too many readers")})
	}
	return nil
}

// enterStarter is enterReader without limits, for the client that started the thread's run: runs are limited.
func (g *Gateway) enterStarter(key state.Key) {
	g.limits.readers.Add(key.Principal, 1, 0)
	g.readers.enter(key, 0, 0)
}

// leaveReader undoes enterReader and enterStarter.
func (g *Gateway) leaveReader(key state.Key) {
	g.readers.leave(key)
	g.limits.readers.Done(key.Principal, 1)
}

// count returns how many readers there are.
func (c *readerCount) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// any reports whether the thread has a reader.
func (c *readerCount) any(key state.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[key] != nil
}

// noteIdle records whether the thread is known to be idle.
func (c *readerCount) noteIdle(key state.Key, idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.n[key]; r != nil {
		r.idle = idle
	}
}

// running returns the threads that have readers here and may have a live run.
func (c *readerCount) running() []state.Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []state.Key
	for key, r := range c.n {
		if !r.idle {
			keys = append(keys, key)
		}
	}
	return keys
}

// noteFor returns the lifetime of a note in the store that a run has readers. Notes are renewed twice as often.
func (g *Gateway) noteFor() time.Duration { return max(min(g.o.DetachGrace, time.Minute), time.Second) }

// noteReaders writes notes to the store for runs of other replicas with readers here, so that they are not stopped for
// lack of readers. It returns when the gateway has served its last reader.
func (g *Gateway) noteReaders() {
	defer close(g.notingEnded)
	if !g.o.Shared {
		return
	}
	ticker := time.NewTicker(g.noteFor() / 2)
	defer ticker.Stop()
	for {
		select {
		case <-g.serving.Done():
			return
		case <-ticker.C:
		}
		for _, key := range g.readers.running() {
			if err := calls.Protect(func() error { return g.noteReader(g.serving, key) }); err != nil {
				calls.WithCause(g.o.Log, err).Debug("readers: not noted")
				break // the next tick tries again
			}
		}
	}
}

// noteReader notes in the store that the thread's run has a reader here, unless the run is here as well.
func (g *Gateway) noteReader(ctx context.Context, key state.Key) error {
	if !g.o.Shared || g.attempt(key) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, calls.StoreTimeout)
	defer cancel()
	_, live, err := g.store.NoteReader(ctx, key, g.noteFor())
	if calls.Permanent(err) {
		live, err = false, nil // which its readers learn by themselves
	}
	if err == nil && !live {
		g.readers.noteIdle(key, true)
	}
	return err
}
