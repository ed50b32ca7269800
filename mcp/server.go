package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Server is an MCP server and the connection to it. It is safe for concurrent use. Close it when done.
type Server struct {
	o       Options
	secrets []string
	said    lastSaid
	client  *sdk.Client
	ctx     context.Context // of everything done for it
	cancel  context.CancelFunc
	calls   context.Context // of calls: the SDK closes nothing before they have ended
	giveUp  context.CancelFunc
	wg      sync.WaitGroup

	mu      sync.Mutex
	session *sdk.ClientSession // nil while there is no connection
	dialing chan struct{}      // closed when the attempt to connect that is under way has ended
	listed  []*sdk.Tool        // when they were last asked for
	stale   bool               // the server says that they have changed
	fails   int                // attempts to connect, in a row
	retryAt time.Time
	failure error // of the last one
	closed  bool
}

var (
	errClosed = errors.New("mcp: the server was closed")
	errLate   = errors.New("mcp: connecting takes too long")
)

// New returns a server. It does not connect: see the package's documentation. It reports every mistake of the options.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.fill()
	s := &Server{o: o, secrets: o.secrets()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.calls, s.giveUp = context.WithCancel(s.ctx)
	s.client = sdk.NewClient(&sdk.Implementation{Name: "agui-gateway", Version: o.Version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{}, // nothing is offered to it
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.changed() },
	})
	return s, nil
}

// patience is how long Close waits for a server to take part in it.
const patience = 3 * terminate

// Close ends the connection and, if it is one, the program. Calls under way fail.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	session := s.session
	s.session = nil
	s.mu.Unlock()
	s.giveUp()
	if session != nil {
		over := make(chan struct{})
		s.wg.Go(func() {
			defer close(over)
			hangUp(session)
		})
		select {
		case <-over:
		case <-time.After(patience):
		}
	}
	s.cancel() // which kills what is left of a program
	s.wg.Wait()
	return nil
}

func (s *Server) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
}

// connected returns the connection, after making it if there is none. Ctx limits how long the caller waits.
func (s *Server) connected(ctx context.Context) (*sdk.ClientSession, error) {
	waited := false
	for {
		s.mu.Lock()
		session, wait, err := s.session, s.dialing, s.failure
		switch {
		case s.closed:
			session, err = nil, errClosed
		case session != nil:
			err = nil
		case err != nil && (waited || time.Now().Before(s.retryAt)):
		case wait == nil:
			wait = s.dial()
			fallthrough
		default:
			s.mu.Unlock()
			select {
			case <-wait:
				waited = true
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			continue
		}
		s.mu.Unlock()
		return session, err
	}
}

// dial begins an attempt to connect. The lock is held.
func (s *Server) dial() chan struct{} {
	done := make(chan struct{})
	s.dialing, s.failure = done, nil
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeoutCause(s.ctx, s.o.ConnectTimeout, errLate)
		defer cancel()
		session, tools, err := s.open(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		defer close(done)
		s.dialing = nil
		if err == nil && s.closed {
			s.wg.Go(func() { hangUp(session) })
			return
		}
		if err != nil {
			s.failed(err)
			return
		}
		s.session, s.listed, s.stale, s.fails = session, tools, false, 0
		s.o.Log.Info("mcp: connected", "server", s.o.Name, "tools", len(tools))
		s.wg.Go(func() { s.watch(session) })
	})
	return done
}

// longest is the longest time between two attempts to connect.
const longest = 30 * time.Second

// failed notes that an attempt came to nothing. The lock is held.
func (s *Server) failed(err error) {
	s.failure = s.lost(err)
	if s.closed {
		return
	}
	pause := min(s.o.backoff<<min(s.fails, 10), longest)
	s.fails++
	s.retryAt = time.Now().Add(pause)
	s.o.Log.Warn("mcp: server is away", "server", s.o.Name, "error", s.failure, "again_after", pause.String())
}

// open connects and lists the tools.
func (s *Server) open(ctx context.Context) (*sdk.ClientSession, []*sdk.Tool, error) {
	s.said.set("")
	transport, done := s.transport()
	session, err := s.client.Connect(ctx, transport, nil)
	if err != nil {
		done()
		return nil, nil, err
	}
	tools, err := s.ask(ctx, session)
	if err != nil {
		hangUp(session)
		done()
		return nil, nil, err
	}
	return session, tools, nil
}

// ask lists the tools.
func (s *Server) ask(ctx context.Context, session *sdk.ClientSession) ([]*sdk.Tool, error) {
	if c := session.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return nil, nil // one without tools
	}
	var tools []*sdk.Tool
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if len(tools) == s.o.MaxTools {
			s.o.Log.Warn("mcp: server has too many tools, the rest are left out", "server", s.o.Name, "max", s.o.MaxTools)
			break
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

// watch waits for the end of a connection.
func (s *Server) watch(session *sdk.ClientSession) {
	err := session.Wait()
	s.drop(session, err)
}

// drop forgets a connection that is of no use any more. The next who needs one makes it.
func (s *Server) drop(session *sdk.ClientSession, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != session {
		return
	}
	s.session = nil
	s.o.Log.Warn("mcp: connection lost", "server", s.o.Name, "error", s.lost(err))
	s.wg.Go(func() { hangUp(session) }) // which waits for the calls under way
}

// hangUp ends a connection. What the server says of that interests nobody: a program that was killed says that it was.
func hangUp(session *sdk.ClientSession) { _ = session.Close() }

// untilClosed is ctx for a call, which ends with the server's use.
func (s *Server) untilClosed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.calls, func() { cancel(errClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
