package gateway_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

// A pipes is a listener with connections in memory: in a synctest bubble time passes while they are idle.
type pipes struct {
	addr   net.TCPAddr
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes {
	return &pipes{addr: net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, dialed: make(chan net.Conn), closed: make(chan struct{})}
}

// A network connects the servers of a bubble with clients of them all. The nil one is that of the machine.
type network struct {
	servers map[string]*pipes
	client  *http.Client
}

func newNetwork() *network {
	n := &network{servers: map[string]*pipes{}}
	n.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, kind, address string) (net.Conn, error) {
		return n.servers[address].dial(ctx, kind, address)
	}}}
	return n
}

// serve starts a server of h. All servers are started before the first request.
func (n *network) serve(h http.Handler) *httptest.Server {
	if n == nil {
		return httptest.NewServer(h)
	}
	l := newPipes()
	l.addr.Port += len(n.servers)
	n.servers[l.addr.String()] = l
	return l.serve(h)
}

// http is the client of the network; nil is any.
func (n *network) http() *http.Client {
	if n == nil {
		return nil
	}
	return n.client
}

// Accept is part of net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close is part of net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr is part of net.Listener.
func (p *pipes) Addr() net.Addr { return &p.addr }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.dialed <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// newBubbleWorld is newWorld in a synctest bubble: leases and pauses take no time, and do not depend on the machine's.
func newBubbleWorld(t *testing.T, change ...func(*gateway.Options)) *world {
	t.Helper()
	l := newPipes()
	w := startWorld(t, &http.Transport{DialContext: l.dial}, l.serve, change...)
	w.patience = bubblePatience
	return w
}

// bubblePatience is patience by the clock of a bubble, which costs nothing: longer than any test runs.
const bubblePatience = 1000 * time.Hour

// serve starts a server of h.
func (p *pipes) serve(h http.Handler) *httptest.Server {
	s := &httptest.Server{Listener: p, Config: &http.Server{Handler: h}} //nolint:gosec // its clients are the test's
	s.Start()
	return s
}
