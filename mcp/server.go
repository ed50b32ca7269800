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
	conn    *connection   // nil while there is none
	dialing chan struct{} // closed when the attempt to connect that is under way has ended
	listed  []*sdk.Tool   // when they were last asked for
	stale   bool          // the server says that they have changed
	fails   int           // attempts to connect, in a row
	retryAt time.Time
	failure error // of the last one
	closed  bool
}

var (
	errClosed = errors.New("mcp: the server was closed")
	errLate   = errors.New("mcp: connecting takes too long")
	errHangs  = errors.New("mcp: the server does not answer any more")
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
	conn := s.conn
	s.conn = nil
	s.mu.Unlock()
	s.giveUp()
	if conn != nil {
		over := make(chan struct{})
		s.wg.Go(func() {
			defer close(over)
			conn.hangUp()
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
func (s *Server) connected(ctx context.Context) (*connection, error) {
	waited := false
	for {
		s.mu.Lock()
		conn, wait, err := s.conn, s.dialing, s.failure
		switch {
		case s.closed:
			conn, err = nil, errClosed
		case conn != nil:
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
		return conn, err
	}
}

// dial begins an attempt to connect. The lock is held.
func (s *Server) dial() chan struct{} {
	done := make(chan struct{})
	s.dialing, s.failure = done, nil
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeoutCause(s.ctx, s.o.ConnectTimeout, errLate)
		defer cancel()
		conn, tools, err := s.open(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		defer close(done)
		s.dialing = nil
		if err == nil && s.closed {
			s.wg.Go(conn.hangUp)
			return
		}
		if err != nil {
			s.failed(err)
			return
		}
		s.conn, s.listed, s.stale, s.fails = conn, tools, false, 0
		s.o.Log.Info("mcp: connected", "server", s.o.Name, "tools", len(tools))
		s.wg.Go(func() { s.drop(conn, conn.session.Wait()) })
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
func (s *Server) open(ctx context.Context) (*connection, []*sdk.Tool, error) {
	s.said.set("")
	c := s.newConnection()
	transport, done := s.transport(c.program)
	var err error
	if c.session, err = s.client.Connect(ctx, transport, nil); err != nil {
		done()
		c.end(err)
		return nil, nil, err
	}
	tools, err := s.ask(ctx, c.session)
	if err != nil {
		c.hangUp()
		done()
		return nil, nil, err
	}
	return c, tools, nil
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
