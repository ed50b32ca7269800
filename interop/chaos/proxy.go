package main

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// A proxy spreads requests over the replicas in turn, without stickiness, and passes every byte on at once. One that
// cannot be reached is passed over; a connection that breaks is broken on the other side too.
type proxy struct {
	url      string
	server   *http.Server
	replicas []*replica
	next     atomic.Uint64
}

func startProxy(ctx context.Context, replicas []*replica) (*proxy, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{url: "http://" + l.Addr().String(), replicas: replicas}
	transport := &http.Transport{DialContext: p.dial, MaxIdleConns: 1, DisableKeepAlives: true}
	p.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // connections are broken on purpose
		Handler: &httputil.ReverseProxy{
			Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(&url.URL{Scheme: "http", Host: "replicas"})
			},
		},
	}
	go func() { _ = p.server.Serve(l) }() // until close
	return p, nil
}

// dial connects to the next replica that can be reached.
func (p *proxy) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	var dialer net.Dialer
	var last error
	first := p.next.Add(1)
	for i := range uint64(len(p.replicas)) {
		r := p.replicas[(first+i)%uint64(len(p.replicas))]
		where, err := url.Parse(*r.url.Load())
		if err != nil {
			return nil, err
		}
		var conn net.Conn
		if conn, last = dialer.DialContext(ctx, network, where.Host); last == nil {
			return conn, nil
		}
	}
	return nil, last
}

func (p *proxy) close() { _ = p.server.Close() }
