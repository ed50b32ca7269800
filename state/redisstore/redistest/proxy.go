package redistest

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// A Proxy forwards between a store and its server. It loses replies, and measures the traffic.
type Proxy struct {
	Addr string

	to string

	mu    sync.Mutex
	pass  int    // replies that still get through before one is lost; negative: none will be
	then  func() // what to do when one was lost, before its connection breaks
	lost  int
	most  Exchange
	conns map[net.Conn]bool
}

// StartProxy starts a proxy of a server. It ends with the test.
func StartProxy(t testing.TB, s *Server) *Proxy {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), to: s.Addr, pass: -1, conns: map[net.Conn]bool{}}
	var running sync.WaitGroup
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		p.mu.Lock()
		for c := range p.conns {
			_ = c.Close() // it may be closed already
		}
		p.mu.Unlock()
		running.Wait()
	})
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.serve(c) })
		}
	})
	return p
}

// URL is the proxy's address for a store.
func (p *Proxy) URL() string { return "redis://" + p.Addr }

// Lose lets n replies through and loses the next: the command is executed, and the connection breaks. A negative n
// loses none. Messages for subscribers are no replies.
func (p *Proxy) Lose(n int) { p.LoseThen(n, nil) }

// LoseThen is Lose; then is called when the reply is lost, before the client knows and asks again.
func (p *Proxy) LoseThen(n int, then func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass, p.then = n, then
}

// An Exchange is the bytes of a request, all that a connection was sent before it answered, and of its reply.
type Exchange struct{ Request, Reply int }

// Most returns the largest request and the largest reply since it was last called.
func (p *Proxy) Most() Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := p.most
	p.most = Exchange{}
	return most
}

// measure notes that a connection has exchanged more.
func (p *Proxy) measure(e *Exchange, request, reply int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case request > 0 && e.Reply > 0: // the next one
		*e = Exchange{Request: request}
	default:
		e.Request += request
		e.Reply += reply
	}
	p.most.Request, p.most.Reply = max(p.most.Request, e.Request), max(p.most.Reply, e.Reply)
}

// Lost returns how many replies were lost.
func (p *Proxy) Lost() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

func (p *Proxy) loses() bool {
	p.mu.Lock()
	if p.pass < 0 {
		p.mu.Unlock()
		return false
	}
	p.pass--
	lost, then := p.pass < 0, p.then
	if lost {
		p.lost++
	}
	p.mu.Unlock()
	if lost && then != nil {
		then()
	}
	return lost
}

func (p *Proxy) keep(c net.Conn, is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if is {
		p.conns[c] = true
	} else {
		delete(p.conns, c)
	}
}

func (p *Proxy) serve(client net.Conn) {
	var dialer net.Dialer
	server, err := dialer.DialContext(context.Background(), "tcp", p.to)
	if err != nil {
		_ = client.Close() // the server is away
		return
	}
	p.keep(client, true)
	p.keep(server, true)
	var both sync.WaitGroup
	over := func() {
		_ = errors.Join(client.Close(), server.Close()) // one of them is what ended it
	}
	exchange := &Exchange{}
	var subscribes atomic.Bool
	both.Go(func() {
		defer over()
		buf := make([]byte, 1<<20)
		for {
			n, err := client.Read(buf)
			if err != nil {
				return
			}
			if bytes.Contains(buf[:n], []byte("subscribe")) {
				subscribes.Store(true)
			}
			p.measure(exchange, n, 0)
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
		}
	})
	both.Go(func() {
		defer over()
		buf := make([]byte, 1<<20)
		for {
			n, err := server.Read(buf)
			if err != nil || !subscribes.Load() && p.loses() {
				return
			}
			p.measure(exchange, 0, n)
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	})
	both.Wait()
	p.keep(client, false)
	p.keep(server, false)
}
