package route

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// A body's deadline ends when the body is complete: it does not cut later traffic on the connection. An incomplete body
// keeps it, and an unread one has a short deadline when its request is answered.
func TestABodysDeadlineEndsWithTheBody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reads     bool
		end       error // of the body
		deadlines int
		open      bool // the last of them is none
	}{
		"arrives":     {true, io.EOF, 2, true},
		"is too slow": {true, os.ErrDeadlineExceeded, 1, false},
		"breaks off":  {true, io.ErrUnexpectedEOF, 1, false},
		"is not read": {false, io.EOF, 2, false},
	} {
		var deadlines []time.Time
		w := &deadlineWriter{ResponseWriter: httptest.NewRecorder(), set: func(at time.Time) { deadlines = append(deadlines, at) }}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", &trickle{end: test.end})
		end := TimeBody(w, r)
		if test.reads {
			if _, err := io.ReadAll(r.Body); !errors.Is(err, test.end) && err != nil {
				t.Fatalf("ReadAll() error = %v, want %v", err, test.end)
			}
		}
		end()
		n := len(deadlines)
		if n != test.deadlines || deadlines[0].IsZero() || deadlines[n-1].IsZero() != test.open {
			t.Errorf("a body that %s has the deadlines %v", name, deadlines)
		}
		if !test.reads && !deadlines[1].Before(deadlines[0]) {
			t.Errorf("a body that %s has until %v, as long as one that is: %v", name, deadlines[1], deadlines[0])
		}
	}
}

// trickle is a body that comes byte by byte and then fails.
type trickle struct {
	n   int
	end error
}

func (t *trickle) Read(p []byte) (int, error) {
	if t.n++; t.n > 3 {
		return 0, t.end
	}
	p[0] = ' '
	return 1, nil
}

type deadlineWriter struct {
	http.ResponseWriter
	set func(time.Time)
}

func (w *deadlineWriter) SetReadDeadline(at time.Time) error { w.set(at); return nil }

// A caller with an endless body gets an error from a real server, and its connection is free again.
func TestAStalledBodyIsRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetReadDeadline(time.Now()); err != nil {
			t.Errorf("SetReadDeadline() error = %v", err)
		}
		if _, err := ReadJSON(r, 1<<10); err == nil {
			t.Error("readJSON() = nil, want an error")
		}
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, len("HTTP/1.1 400"))
	if _, err := io.ReadFull(conn, head); err != nil || string(head) != "HTTP/1.1 400" {
		t.Errorf("answer = %q, %v", head, err)
	}
}
