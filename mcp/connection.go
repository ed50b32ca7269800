package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A connection is one connection to a server, with the program if the server is one.
type connection struct {
	session *sdk.ClientSession
	program context.Context // when it is done the program is killed
	kill    context.CancelFunc
	calls   context.Context // the parent of all calls; done, with the cause, when no answer can come any more
	giveUp  context.CancelCauseFunc
	probed  bool // a probe is under way; guarded by Server.mu

	questionWait time.Duration // see onlyCall

	mu        sync.Mutex
	underway  map[*underway]bool
	questions int           // of the server, that wait until their call is known
	changed   chan struct{} // closed when one of both has changed
}

func (s *Server) newConnection() *connection {
	c := &connection{changed: make(chan struct{}), questionWait: s.o.questionWait}
	c.program, c.kill = context.WithCancel(s.ctx)
	c.calls, c.giveUp = context.WithCancelCause(s.calls)
	return c
}

// close ends the connection in good order: it waits for the calls under way. The error of the session is ignored, for
// it only says that the program was killed.
func (c *connection) close() {
	_ = c.session.Close()
	c.abort(errClosed)
}

func (c *connection) abort(cause error) {
	c.giveUp(cause)
	c.kill()
}

// call returns the context of a call on the connection: it ends with ctx, or when no answer can come any more. The
// caller calls done when the call has returned.
func (c *connection) call(ctx context.Context, g given) (calling context.Context, done func(), err error) {
	calling, cancel := context.WithCancelCause(ctx)
	calling = context.WithValue(calling, giveUpKey{}, cancel)
	stop := context.AfterFunc(c.calls, func() { cancel(context.Cause(c.calls)) })
	u := &underway{given: g, giveUp: cancel}
	if err := c.begin(calling, u); err != nil {
		stop()
		cancel(nil)
		return nil, nil, err
	}
	return calling, func() {
		c.end(u)
		stop()
		cancel(nil)
	}, nil
}

// drop forgets a connection that failed with err. The next caller that needs one connects anew.
func (s *Server) drop(c *connection, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != c {
		return
	}
	s.conn = nil
	s.o.Log.Warn("mcp: connection lost", "server", s.o.Name, "error", s.connectionError(err))
	s.wg.Go(c.close)
}

// probeAfter probes the server if ctx ends before stop is called, because a call that was not answered in time may mean
// that the server hangs. It is not probed at other times: a server that handles one request after the other answers no
// probe while it works. One that is idle is asked by keepAlive.
func (s *Server) probeAfter(ctx context.Context, c *connection) (stop func() bool) {
	return context.AfterFunc(ctx, func() { s.probe(c) })
}

// probe asks the server for its tools. If no answer comes within Options.probeTimeout the connection is given up: the
// program is killed, and the calls that wait for it fail.
func (s *Server) probe(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.conn != c || c.probed {
		return
	}
	c.probed = true
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeoutCause(c.calls, s.o.probeTimeout, errNoAnswer)
		defer cancel()
		answered := make(chan error, 1) // buffered and apart: sending the request may block, when a pipe is full
		s.wg.Go(func() {
			_, err := s.listTools(ctx, c.session)
			answered <- err
		})
		var err error
		select {
		case err = <-answered:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		s.mu.Lock()
		c.probed = false
		s.mu.Unlock()
		if err == nil || refusal(err) != nil || c.calls.Err() != nil {
			return
		}
		s.drop(c, errNoAnswer)
		c.abort(errNoAnswer)
	})
}

// keepAlive asks a server that has nothing to do, again and again, whether it is still there, so that one that is gone
// or hangs is found before somebody needs it.
func (s *Server) keepAlive(c *connection) {
	if s.o.KeepAlive < 0 {
		return
	}
	ticker := time.NewTicker(s.o.KeepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-c.calls.Done():
			return
		}
		if !c.busy() {
			s.probe(c)
		}
	}
}
