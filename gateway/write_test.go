package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

// serveHTTP serves the desktop over connections in memory, which dial makes, until the test ends; active is how many
// requests are being served.
func (d *desktop) serveHTTP() (dial func() net.Conn, active *atomic.Int64, stop func()) {
	l, active := newPipes(), &atomic.Int64{}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		active.Add(1)
		defer active.Add(-1)
		d.g.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(l) }() // until close
	dial = func() net.Conn {
		c, err := l.dial(context.Background(), "", "")
		if err != nil {
			d.t.Fatal(err)
		}
		return c
	}
	return dial, active, func() { _ = server.Close() } // its connections are the test's
}

// A slowReader pauses before each piece it reads.
type slowReader struct {
	io.Reader
	piece, left int
	pause       time.Duration
}

func (s *slowReader) Read(p []byte) (int, error) {
	if s.left == 0 {
		time.Sleep(s.pause)
		s.left = s.piece
	}
	n, err := s.Reader.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

// largeAnswers are requests with responses that take a while to read, for each way of writing, and how each ends.
func largeAnswers() map[string][3]string {
	page := pageInput("t", "r2", nil)
	return map[string][3]string{
		"a thread":               {"GET /threads/t", "", "\"}]}\n"},
		"a stream of a thread":   {"GET /threads/t/events", "", "\n\n"},
		"a thread that is shown": {"POST /agents/echo", input("t", "r2", nil), "\n\n"},
		"a page's messages":      {"GET /api/copilotkit/threads/t/messages", "", "]}\n"},
		"a page's events":        {"GET /api/copilotkit/threads/t/events", "", "]}\n"},
		"a page's stream":        {"POST /api/copilotkit/agent/echo/connect", page, "\n\n"},
		"a file of the page":     {"GET /assets/large", "", "end"},
	}
}

// newLibrary is a desktop with a thread, and a file of its page, of a megabyte.
func newLibrary(t *testing.T, change ...func(*gateway.Options)) *desktop {
	t.Helper()
	const size = 1 << 20
	d := newDesktop(t, func(o *gateway.Options) {
		for _, f := range change {
			f(o)
		}
		o.Heartbeat = 24 * time.Hour // a bubble's time stands still while a heartbeat waits for the mutex of a write
		o.Page = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", size)+"end") // to the reader
		})
	})
	d.serve(newSink(), "POST", "/agents/echo", input("t", "r1", []string{"u1:" + strings.Repeat("x", size/2)}))
	return d
}

func send(c net.Conn, request, body string) error {
	r, err := http.NewRequestWithContext(context.Background(), strings.Fields(request)[0], "http://pipe.test"+strings.Fields(request)[1], strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	return r.Write(c)
}

// A slow reader gets everything as long as it reads at all: a response may take any time, and each piece of it has the
// deadline of a write.
func TestASlowReaderGetsEverything(t *testing.T) {
	t.Parallel()
	for name, a := range largeAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newLibrary(t)
				defer d.close()
				dial, _, stop := d.serveHTTP()
				defer stop()
				c := dial()
				defer c.Close()
				if err := send(c, a[0], a[1]); err != nil {
					t.Fatal(err)
				}
				slow := &slowReader{Reader: c, piece: 16 << 10, pause: 5 * time.Second}
				response, err := http.ReadResponse(bufio.NewReader(slow), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				data, err := io.ReadAll(response.Body)
				if err != nil || len(data) < 512<<10 || !strings.HasSuffix(string(data), a[2]) {
					t.Errorf("read %d bytes, to %q: %v", len(data), data[max(0, len(data)-20):], err)
				}
			})
		})
	}
}

// Who does not read holds nothing for long, and the log says that the connection was not the client's to end.
func TestWhoDoesNotReadIsCut(t *testing.T) {
	t.Parallel()
	for name, a := range largeAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log lockedBuffer
				d := newLibrary(t, problemAttrs(&log))
				defer d.close()
				dial, active, stop := d.serveHTTP()
				defer stop()
				c := dial()
				defer c.Close()
				if err := send(c, a[0], a[1]); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(c, make([]byte, 100)); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if n := active.Load(); n != 0 {
					t.Errorf("%d handlers still write after two minutes", n)
				}
				if lines := log.lines(t, "request: cut off"); len(lines) != 1 {
					t.Errorf("the log has %d lines of it, want one:\n%s", len(lines), &log)
				}
			})
		})
	}
}

// Readers that do not read take the room of large responses until they are cut, and no more: others are refused
// meanwhile, and get everything afterwards.
func TestWhoDoNotReadTakeLimitedRoom(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]string{
		"a thread": "", "a stream of a thread": `"code":"overloaded"`, "a page's stream": `"code":"overloaded"`,
	} {
		a := largeAnswers()[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newLibrary(t, withoutSizes, func(o *gateway.Options) { o.Limits.Answers = 3 << 20 })
				defer d.close()
				dial, active, stop := d.serveHTTP()
				defer stop()
				get := func() string {
					c := dial()
					defer c.Close()
					if err := send(c, a[0], a[1]); err != nil {
						t.Fatal(err)
					}
					response, err := http.ReadResponse(bufio.NewReader(c), nil)
					if err != nil {
						return ""
					}
					defer response.Body.Close()
					data, _ := io.ReadAll(response.Body) // which may be cut
					return string(data)
				}
				for range 2 {
					c := dial()
					defer c.Close()
					if err := send(c, a[0], a[1]); err != nil {
						t.Fatal(err)
					}
					if _, err := io.ReadFull(c, make([]byte, 1000)); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if data := get(); len(data) > 10_000 || !strings.Contains(data, refused) {
					t.Errorf("a third got %d bytes: %s", len(data), data[:min(len(data), 1000)])
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := active.Load(); n != 0 {
					t.Errorf("%d handlers still write", n)
				}
				if data := get(); len(data) < 512<<10 || !strings.HasSuffix(data, a[2]) {
					t.Errorf("who comes afterwards read %d bytes", len(data))
				}
			})
		})
	}
}
