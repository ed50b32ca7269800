package main

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
)

// A proxy spreads connections over the replicas in turn and passes every byte on at once. A replica that cannot be
// reached is passed over; a connection that breaks is broken on the other side too. It knows nothing of HTTP: what a
// reader misses is then never the doing of a proxy's own client.
type proxy struct {
	url      string
	listener net.Listener
	replicas []*replica
	next     atomic.Uint64
}

func startProxy(ctx context.Context, replicas []*replica) (*proxy, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{url: "http://" + l.Addr().String(), listener: l, replicas: replicas}
	go p.serve(ctx)
	return p, nil
}

// serve takes connections until close.
func (p *proxy) serve(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.pass(ctx, client)
	}
}

// pass copies both ways until either side ends.
func (p *proxy) pass(ctx context.Context, client net.Conn) {
	server, err := p.dial(ctx)
	if err != nil {
		_ = client.Close() // as without a listener
		return
	}
	closeBoth := sync.OnceFunc(func() { _, _ = client.Close(), server.Close() }) // either may have ended already
	go func() {
		defer closeBoth()
		_, _ = io.Copy(server, client) // whoever broke it sees it
	}()
	defer closeBoth()
	_, _ = io.Copy(client, server)
}

// dial connects to the next replica that can be reached.
func (p *proxy) dial(ctx context.Context) (net.Conn, error) {
	var dialer net.Dialer
	var last error
	first := p.next.Add(1)
	for i := range uint64(len(p.replicas)) {
		r := p.replicas[(first+i)%uint64(len(p.replicas))]
		where, err := url.Parse(r.serving.Load().url)
		if err != nil {
			return nil, err
		}
		var conn net.Conn
		if conn, last = dialer.DialContext(ctx, "tcp", where.Host); last == nil {
			return conn, nil
		}
	}
	return nil, last
}

func (p *proxy) close() { _ = p.listener.Close() }
