package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// An inMemory listener has connections in memory: in a bubble of synctest time passes while nothing moves on them.
type inMemory struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newInMemory() *inMemory {
	return &inMemory{dialed: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialed:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *inMemory) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *inMemory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// dial connects. It waits for as long as the server takes no connection.
func (l *inMemory) dial() net.Conn {
	client, server := net.Pipe()
	l.dialed <- server
	return client
}

// serveInMemory serves h as serve does, until the test ends.
func serveInMemory(t *testing.T, h http.Handler, most int) *inMemory {
	t.Helper()
	return serveConfigured(t, h, &config{maxConns: most})
}

func serveConfigured(t *testing.T, h http.Handler, c *config) *inMemory {
	t.Helper()
	c.options.Limits.Header = 32 << 10
	s, err := c.newServer(h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l := newInMemory()
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.listenAndServe(l); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("listenAndServe() = %v", err)
		}
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return l
}

// newService is a gateway with one agent, who says nothing.
func newService(t *testing.T) http.Handler {
	t.Helper()
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"quiet": groupchat.AgentFunc(nil)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// ended waits until the server closes a connection. It returns how long that took, and the response before.
func ended(t *testing.T, conn net.Conn) (time.Duration, string) {
	t.Helper()
	start := time.Now()
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("the connection ends with %v", err)
	}
	return time.Since(start), string(text)
}

// A client that takes its time, on purpose or not, has a connection for a limited one: whatever it sends little of.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sends   string        // at once
		trickle string        // byte by byte, one in five seconds
		within  time.Duration // in which the connection is closed
		answer  string
	}{
		"nothing":                {"", "", readHeaderTimeout, ""},
		"a part of a header":     {"GET /agents HTTP/1.1\r\nHost: local", "", readHeaderTimeout, ""},
		"a header byte by byte":  {"GET /agents HTTP/1.1\r\n", "Host: localhost\r\nX-Filler: very much of it", readHeaderTimeout, ""},
		"no second request":      {"GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n", "", idleTimeout, "HTTP/1.1 200 OK"},
		"half of a second":       {"GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\nGET /agents HT", "", readHeaderTimeout, "HTTP/1.1 200 OK"},
		"a part of a body":       {"POST /agents/quiet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{", "", time.Minute, "HTTP/1.1 4"},
		"a body byte by byte":    {"POST /agents/quiet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n", `{"threadId":"a very long one`, time.Minute, "HTTP/1.1 4"},
		"a chunk that goes on":   {"POST /agents/quiet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", "", time.Minute, "HTTP/1.1 4"},
		"a body that is ignored": {"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{", "", 5 * time.Second, "HTTP/1.1 404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := serveInMemory(t, newService(t), 10).dial()
				var sending sync.WaitGroup
				defer sending.Wait()
				defer conn.Close()
				sending.Go(func() {
					// What the server does not read any more fails to be written.
					_, err := io.WriteString(conn, test.sends)
					for i := 0; err == nil && i < len(test.trickle); i++ {
						time.Sleep(5 * time.Second)
						_, err = io.WriteString(conn, test.trickle[i:i+1])
					}
				})
				took, answer := ended(t, conn)
				if took > test.within+time.Second || took < test.within/2 {
					t.Errorf("the connection is closed after %v, want %v", took, test.within)
				}
				if !strings.HasPrefix(answer, test.answer) {
					t.Errorf("the answer is %q, want %q", answer, test.answer)
				}
			})
		})
	}
}

// A handshake has as much time as the headers that would follow.
func TestSlowHandshakes(t *testing.T) {
	t.Parallel()
	for name, sends := range map[string]string{"nothing": "", "the head of a record": "\x16\x03\x01\x02\x00", "a part of a greeting": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				pair := newPair(t, "localhost", time.Now().Add(365*24*time.Hour))
				conn := serveConfigured(t, newService(t), &config{maxConns: 1, tlsCert: pair.cert, tlsKey: pair.key}).dial()
				defer conn.Close()
				if _, err := io.WriteString(conn, sends); err != nil {
					t.Fatal(err)
				}
				if took, text := ended(t, conn); took != readHeaderTimeout || text != "" {
					t.Errorf("the connection is closed after %v, with %q", took, text)
				}
			})
		})
	}
}

// The limit of headers is the gateway's as far as it can answer in JSON; an even larger head is not read to its end.
func TestHeadersThatAreTooLarge(t *testing.T) {
	t.Parallel()
	head := func(size int) string {
		text := "GET /agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Filler: "
		return text + strings.Repeat("x", size-len(text)-2) + "\r\n\r\n"
	}
	for name, test := range map[string]struct {
		head, status, body string
	}{
		"at the limit":      {head(32 << 10), "200 OK", `"agents"`},
		"one beyond":        {head(32<<10 + 1), "431 Request Header Fields Too Large", `"header_too_large"`},
		"far beyond":        {head(1 << 20), "431 Request Header Fields Too Large", "431"},
		"very many of them": {"GET /agents HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X-A: b\r\n", 10000) + "\r\n", "431 Request Header Fields Too Large", "431"},
		"a line that is":    {"GET /agents?" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "431 Request Header Fields Too Large", "431"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := serveInMemory(t, newService(t), 10).dial()
				defer conn.Close()
				go func() { _, _ = io.WriteString(conn, test.head) }() // the server does not read all of it
				answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || answer.Status != test.status || !strings.Contains(string(body), test.body) {
					t.Errorf("the answer is %s, %s, %v", answer.Status, body, err)
				}
			})
		})
	}
}

// hello asks for the agents, and leaves the connection open.
func hello(t *testing.T, conn net.Conn) (status, connection string) {
	t.Helper()
	if _, err := io.WriteString(conn, "GET /agents HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	if answer.Close {
		connection = "close"
	}
	return answer.Status, connection
}

// Up to the limit each connection is served. One beyond waits, and those that have nothing to do make room for it.
func TestConnectionsBeyondTheLimitWait(t *testing.T) {
	t.Parallel()
	const most = 3
	synctest.Test(t, func(t *testing.T) {
		l := serveInMemory(t, newService(t), most)
		idle := l.dial() // an idle keep-alive connection
		defer idle.Close()
		if status, connection := hello(t, idle); status != "200 OK" || connection != "" {
			t.Errorf("below the limit = %s, Connection: %s", status, connection)
		}
		for range most - 1 { // and clients that never send anything
			defer l.dial().Close()
		}
		if _, text := ended(t, idle); text != "" {
			t.Errorf("the idle connection has %q", text)
		}
		start := time.Now()
		last := l.dial()
		defer last.Close()
		if status, connection := hello(t, last); status != "200 OK" || connection != "close" {
			t.Errorf("at the limit = %s, Connection: %s", status, connection)
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("the last connection has waited for %v, though an idle one had its place", took)
		}
		if _, text := ended(t, last); text != "" {
			t.Errorf("the last connection has %q", text)
		}
		defer l.dial().Close()
		beyond := l.dial() // waits until a silent one has used up its time
		defer beyond.Close()
		if took := time.Since(start); took != readHeaderTimeout {
			t.Errorf("the connection beyond the limit waits for %v, want %v", took, readHeaderTimeout)
		}
		if status, _ := hello(t, beyond); status != "200 OK" {
			t.Errorf("the connection beyond the limit = %s", status)
		}
	})
}

// One connection of HTTP/2 has a limited number of requests at once, and serves as many.
func TestStreamsOfOneConnection(t *testing.T) {
	t.Parallel()
	pair := newPair(t, "localhost", time.Now().Add(time.Hour))
	c := &config{maxConns: 10, tlsCert: pair.cert, tlsKey: pair.key, addr: "127.0.0.1:0"}
	begun, release := make(chan struct{}, 2*maxStreams), make(chan struct{})
	s, l, err := c.listen(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-release
		if _, err := io.WriteString(w, r.Proto); err != nil {
			t.Error(err)
		}
	}), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.listenAndServe(l); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("listenAndServe() = %v", err)
		}
	})
	defer serving.Wait()
	defer s.Close()
	client := pair.trusting(t, "localhost")
	transport := client.Transport.(*http.Transport)
	transport.HTTP2 = &http.HTTP2Config{StrictMaxConcurrentRequests: true}
	ask := func() error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Addr().String(), nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "HTTP/2.0" {
			return fmt.Errorf("answer = %s, %w", text, err)
		}
		return nil
	}
	var asking sync.WaitGroup
	request := func() {
		asking.Go(func() {
			if err := ask(); err != nil {
				t.Error(err)
			}
		})
	}
	request()
	receive(t, "a request begins", begun) // the client knows the server's limit now
	for range maxStreams - 1 {
		request()
	}
	for range maxStreams - 1 {
		receive(t, "all requests begin", begun)
	}
	request() // not before, because net/http's client counts waiting requests as open ones, and may then wait for ever
	select {
	case <-begun:
		t.Errorf("more than %d requests are served at once", maxStreams)
	default:
	}
	close(release)
	asking.Wait()
	if len(begun) != 1 {
		t.Errorf("%d requests have waited, want the one beyond the limit", len(begun))
	}
}

// Settings that go together are checked before anything is opened, and a listener that cannot be had is named.
func TestListen(t *testing.T) {
	t.Parallel()
	pair := newPair(t, "localhost", time.Now().Add(time.Hour))
	c := &config{maxConns: 1, addr: "192.0.2.1:1", tlsCert: pair.cert, tlsKey: pair.key}
	if _, _, err := c.listen(context.Background(), http.NotFoundHandler(), slog.New(slog.DiscardHandler)); err == nil || !strings.HasPrefix(err.Error(), "-addr (GATEWAY_ADDR): ") {
		t.Errorf("listen() = %v", err)
	}
	c.tlsKey = pair.cert
	if _, _, err := c.listen(context.Background(), http.NotFoundHandler(), slog.New(slog.DiscardHandler)); err == nil || errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "-tls-cert, -tls-key") {
		t.Errorf("listen() = %v", err)
	}
	if got := (&config{tlsCert: "x"}).scheme() + (&config{}).scheme(); got != "https://http://" {
		t.Errorf("scheme() = %s", got)
	}
}
