package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// Time limits of the server. There is none for writing: a stream lasts as long as its run, and the gateway
// limits each write. The gateway limits how long a body may take, too.
const (
	readHeaderTimeout = 10 * time.Second // for the TLS handshake as well
	idleTimeout       = 2 * time.Minute
	// shutdownGrace bounds the time for open connections after the end of the last run.
	shutdownGrace = 2 * time.Second
)

const maxStreams = 100

// A server is an [http.Server] with limits, and with TLS if there is a certificate.
type server struct {
	*http.Server
	certificate *certificate // nil: there is none
	most        int          // connections
	log         *slog.Logger

	mu     sync.Mutex
	open   int
	logged time.Time // when the limit was last logged
	scarce bool      // idle connections are closed
}

// newServer returns a server that serves h within the limits of c.
func (c *config) newServer(h http.Handler, log *slog.Logger) (*server, error) {
	s := &server{most: c.maxConns, log: log}
	s.Server = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    c.options.Limits.Header,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState:         s.count,
	}
	if c.tlsCert == "" {
		return s, nil
	}
	certificate, err := loadCertificate(c.tlsCert, c.tlsKey, log)
	if err != nil {
		return nil, err
	}
	s.certificate, s.TLSConfig = certificate, certificate.tlsConfig()
	return s, nil
}

// listen returns a server for h, and its listener at -addr.
func (c *config) listen(ctx context.Context, h http.Handler, log *slog.Logger) (*server, net.Listener, error) {
	s, err := c.newServer(h, log)
	if err != nil {
		return nil, nil, err
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.addr)
	if err != nil {
		return nil, nil, fmt.Errorf("-addr (GATEWAY_ADDR): %w", err)
	}
	return s, listener, nil
}

// A certificate without a key, and a key without a certificate, would leave the server without TLS.
var (
	errNoKey         = errors.New("-tls-cert (GATEWAY_TLS_CERT): a certificate needs its key; set -tls-key too")
	errNoCertificate = errors.New("-tls-key (GATEWAY_TLS_KEY): a key needs its certificate; set -tls-cert too")
)

func (c *config) checkTLS() error {
	switch {
	case c.tlsCert != "" && c.tlsKey == "":
		return errNoKey
	case c.tlsCert == "" && c.tlsKey != "":
		return errNoCertificate
	}
	return nil
}

// scheme returns the scheme of the server's URLs.
func (c *config) scheme() string {
	if c.tlsCert != "" {
		return "https://"
	}
	return "http://"
}

// listenAndServe serves connections until the server is closed. Those beyond the limit wait in the system's queue.
func (s *server) listenAndServe(l net.Listener) error {
	l = netutil.LimitListener(l, s.most)
	if s.certificate == nil {
		return s.Serve(l)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { s.certificate.watch(ctx) })
	err := s.ServeTLS(l, "", "")
	cancel()
	watching.Wait()
	return err
}

// count counts connections. At the limit it closes idle connections: others are probably waiting.
func (s *server) count(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.open++
	case http.StateClosed, http.StateHijacked:
		s.open--
	default:
		return
	}
	if scarce := s.open >= s.most; scarce != s.scarce {
		s.scarce = scarce
		s.SetKeepAlivesEnabled(!scarce)
	}
	if s.scarce && time.Since(s.logged) >= time.Minute {
		s.logged = time.Now()
		s.log.Warn("connections: at the limit, and further ones wait", "limit", s.most)
	}
}
