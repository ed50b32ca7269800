package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A connection is one connection to a server, and the program behind it, if it is one.
type connection struct {
	session *sdk.ClientSession
	program context.Context // of the program; when it is done the program is killed
	kill    context.CancelFunc
	calls   context.Context // of calls; done, with the cause, when no answer will come to any
	giveUp  context.CancelCauseFunc
	checked bool // it is being found out whether the server still answers; the Server's lock guards it
}

func (s *Server) newConnection() *connection {
	c := &connection{}
	c.program, c.kill = context.WithCancel(s.ctx)
	c.calls, c.giveUp = context.WithCancelCause(s.calls)
	return c
}

// hangUp ends the connection in good order, for which it waits for the calls under way. What the server says of that interests
// nobody: a program that was killed says that it was.
func (c *connection) hangUp() {
	_ = c.session.Close()
	c.end(errClosed)
}

// end ends it at once.
func (c *connection) end(cause error) {
	c.giveUp(cause)
	c.kill()
}

// call returns ctx for a call over the connection, which ends when no answer will come. Done is to be called in the end.
func (c *connection) call(ctx context.Context) (calling context.Context, done func()) {
	calling, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.calls, func() { cancel(context.Cause(c.calls)) })
	return calling, func() {
		stop()
		cancel(nil)
	}
}

// drop forgets a connection that is of no use any more. The next who needs one makes it.
func (s *Server) drop(c *connection, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != c {
		return
	}
	s.conn = nil
	s.o.Log.Warn("mcp: connection lost", "server", s.o.Name, "error", s.lost(err))
	s.wg.Go(c.hangUp)
}

// checkAfter has the connection checked if ctx ends before stop is called: a call that nobody answered in time may mean that nothing
// is answered any more. A server is not asked at other times, because one that does one thing after the other answers nothing
// while it works, and is well.
func (s *Server) checkAfter(ctx context.Context, c *connection) (stop func() bool) {
	return context.AfterFunc(ctx, func() { s.check(c) })
}

// check finds out whether the server still answers. One that does not is given up: its program is killed, and the calls that wait for
// it are told.
func (s *Server) check(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.conn != c || c.checked {
		return
	}
	c.checked = true
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeoutCause(c.calls, s.o.alive, errHangs)
		defer cancel()
		answered := make(chan error, 1) // the question may not even be taken: a pipe is full at some time
		s.wg.Go(func() {
			_, err := s.ask(ctx, c.session)
			answered <- err
		})
		var err error
		select {
		case err = <-answered:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		s.mu.Lock()
		c.checked = false
		s.mu.Unlock()
		if err == nil || refusal(err) != nil || c.calls.Err() != nil {
			return
		}
		s.drop(c, errHangs)
		c.end(errHangs)
	})
}
