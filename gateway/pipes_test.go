package gateway_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// A pipes is a listener whose connections are in memory: in a bubble of synctest time passes while nothing moves on them.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})} }

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
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

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

// newBubbleWorld is newWorld in a bubble of synctest: leases and pauses take no time, and do not depend on the machine's.
func newBubbleWorld(t *testing.T, change func(*gateway.Options)) *world {
	t.Helper()
	l := newPipes()
	return startWorld(t, &http.Transport{DialContext: l.dial}, func(h http.Handler) *httptest.Server {
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}} //nolint:gosec // its clients are the test's
		s.Start()
		return s
	}, change)
}
