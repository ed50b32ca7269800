package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Server is an MCP server and the connection to it. It is safe for concurrent use. Close it when done.
type Server struct {
	o           Options
	ownHTTP     bool // Options.HTTP is the server's own
	secrets     []string
	hookSecrets hookSecrets
	lastFailure lastFailure
	client      *sdk.Client
	ctx         context.Context // of everything that is done for the server
	cancel      context.CancelFunc
	calls       context.Context // the parent of calls: the SDK closes no session before its calls have ended
	giveUp      context.CancelFunc
	wg          sync.WaitGroup

	mu       sync.Mutex
	conn     *connection   // nil while not connected
	dialing  chan struct{} // closed when the try to connect that is under way has ended; nil if none is
	listed   []*sdk.Tool   // the tools, when the server was last asked
	stale    bool          // the server has said that its tools changed
	failures int           // tries to connect that failed, in a row
	retryAt  time.Time
	failure  error // of the last try
	closed   bool
}

var (
	errClosed         = errors.New("mcp: the server was closed")
	errConnectTimeout = errors.New("mcp: connecting takes too long")
	errNoAnswer       = errors.New("mcp: the server does not answer any more")
)

// New returns a server without connecting to it, which happens when a tool is first wanted. The error reports every
// mistake of the options.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	ownHTTP := o.HTTP == nil
	o.fill()
	s := &Server{o: o, ownHTTP: ownHTTP, secrets: o.secrets()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.calls, s.giveUp = context.WithCancel(s.ctx)
	s.client = sdk.NewClient(&sdk.Implementation{Name: "agui-gateway", Version: o.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{
			Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}},
		},
		ElicitationHandler:     s.elicit,
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true}, // an answer may take days: see input.go
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.toolsChanged() },
	})
	return s, nil
}

// closeTimeout is how long Close waits for the server to end the session.
const closeTimeout = 3 * exitGrace

// Close ends the connection, and the program if the server is one. Calls under way fail.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	conn := s.conn
	s.conn = nil
	s.mu.Unlock()
	s.giveUp()
	if conn != nil {
		closed := make(chan struct{})
		s.wg.Go(func() {
			defer close(closed)
			conn.close()
		})
		select {
		case <-closed:
		case <-time.After(closeTimeout):
		}
	}
	s.cancel() // which kills the rest of a program
	s.wg.Wait()
	if s.ownHTTP {
		s.o.HTTP.CloseIdleConnections()
	}
	return nil
}

func (s *Server) toolsChanged() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
}

// connected returns the connection and connects first if there is none. ctx limits how long the caller waits.
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

// dial starts an attempt to connect, and closes the channel at its end. The caller holds s.mu.
func (s *Server) dial() chan struct{} {
	done := make(chan struct{})
	s.dialing, s.failure = done, nil
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeoutCause(s.ctx, s.o.ConnectTimeout, errConnectTimeout)
		defer cancel()
		conn, tools, err := s.connect(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		defer close(done)
		s.dialing = nil
		if err == nil && s.closed {
			s.wg.Go(conn.close)
			return
		}
		if err != nil {
			s.connectFailed(err)
			return
		}
		s.conn, s.listed, s.stale, s.failures = conn, tools, false, 0
		s.o.Log.Info("mcp: connected", "server", s.o.Name, "tools", len(tools))
		s.wg.Go(func() { s.drop(conn, conn.session.Wait()) })
		s.wg.Go(func() { s.keepAlive(conn) })
	})
	return done
}

// maxPause is the longest time between two tries to connect.
const maxPause = 30 * time.Second

// connectFailed notes why a try to connect failed. The caller holds s.mu.
func (s *Server) connectFailed(err error) {
	s.failure = s.connectionError(err)
	if s.closed {
		return
	}
	pause := min(s.o.backoff<<min(s.failures, 10), maxPause)
	s.failures++
	s.retryAt = time.Now().Add(pause)
	s.o.Log.Warn("mcp: server is away", "server", s.o.Name, "error", s.failure, "again_after", pause.String())
}

// connect makes a connection and lists the tools.
func (s *Server) connect(ctx context.Context) (*connection, []*sdk.Tool, error) {
	s.lastFailure.set()
	c := s.newConnection()
	transport, done := s.transport(c.program)
	var err error
	if c.session, err = s.client.Connect(ctx, transport, nil); err != nil {
		done()
		c.abort(err)
		return nil, nil, err
	}
	tools, err := s.listTools(ctx, c.session)
	if err != nil {
		c.close()
		done()
		return nil, nil, err
	}
	return c, tools, nil
}

// maxTool is how many bytes a tool may have with its description and its schema: all are kept, and each model request
// has them.
const maxTool = 128 << 10

// listTools asks the server for its tools, at most Options.MaxTools. Those that are too large are left out.
func (s *Server) listTools(ctx context.Context, session *sdk.ClientSession) ([]*sdk.Tool, error) {
	if c := session.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return nil, nil // the server offers no tools
	}
	var tools []*sdk.Tool
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if len(tools) == s.o.MaxTools {
			s.o.Log.Warn("mcp: server has too many tools, the rest are left out", "server", s.o.Name, "max",
				s.o.MaxTools)
			break
		}
		if raw, err := json.Marshal(tool); err != nil || len(raw) > maxTool {
			s.o.Log.Warn("mcp: a tool is too large and is left out", "server", s.o.Name, "max", maxTool)
			continue
		}
		tools = append(tools, tool)
	}
	return tools, nil
}
