package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// An underway is a call that its server has not answered yet.
type underway struct {
	given  given
	giveUp context.CancelCauseFunc
}

// An askedError ends a call with a server's question to a person, which err contains.
type askedError struct{ err error }

// Error says what happened.
func (*askedError) Error() string { return errAsked.Error() }

// Unwrap returns the question.
func (e *askedError) Unwrap() error { return e.err }

// ask ends the call, with an error that has a person asked.
func (u *underway) ask(err error) { u.giveUp(&askedError{err}) }

// questionOf is the error that has a person asked, if that is why a call ended.
func questionOf(cause error) error {
	if e, ok := errors.AsType[*askedError](cause); ok {
		return e.err
	}
	return nil
}

// begin registers a call. It waits while a question of the server waits until its call is known.
func (c *connection) begin(ctx context.Context, u *underway) error {
	for {
		c.mu.Lock()
		changed := c.changed
		if c.questions == 0 {
			if c.underway == nil {
				c.underway = map[*underway]bool{}
			}
			c.underway[u] = true
			c.mu.Unlock()
			return nil
		}
		c.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (c *connection) end(u *underway) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.underway, u)
	c.change()
}

// change wakes up who waits for a change. The caller holds c.mu.
func (c *connection) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *connection) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.underway) > 0
}

// questionWait is how long a question of a server waits until one call alone is under way. The protocol does not say
// which call a question belongs to, and it must not reach another person.
const questionWait = 30 * time.Second

// onlyCall returns the call that is under way once there is only one. Others end meanwhile, and none begins. It is nil
// if there is none, or if there are still several after a while.
func (c *connection) onlyCall(ctx context.Context) *underway {
	ctx, cancel := context.WithTimeout(ctx, c.questionWait)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions++
	defer func() {
		c.questions--
		c.change()
	}()
	for len(c.underway) > 1 {
		changed := c.changed
		c.mu.Unlock()
		var err error
		select {
		case <-changed:
		case <-ctx.Done():
			err = ctx.Err()
		case <-c.calls.Done():
			err = c.calls.Err()
		}
		c.mu.Lock()
		if err != nil {
			return nil
		}
	}
	for u := range c.underway {
		return u
	}
	return nil
}

func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
