package agui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	sse "github.com/tmaxmax/go-sse"
)

func TestStreamWritesTheFormat(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	s, err := NewStream(rec, StreamOptions{WriteTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(); err != nil || !rec.Flushed {
		t.Fatalf("Open() = %v, flushed %v", err, rec.Flushed)
	}
	frames := []Record{
		{Data: []byte(`{"type":"CUSTOM"}`)},
		{ID: "7-1", Data: []byte(`{"a":"\n"}`)},
	}
	if err := errors.Join(s.Send(frames...), s.Comment("ping"), s.Send(), s.Close()); err != nil {
		t.Fatal(err)
	}
	want := "data: {\"type\":\"CUSTOM\"}\n\nid: 7-1\ndata: {\"a\":\"\\n\"}\n\n: ping\n\n"
	if got := rec.Body.String(); got != want {
		t.Errorf("body = %q, want %q", got, want)
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if got := rec.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

// A flushCounter counts flushes and fails them on demand.
type flushCounter struct {
	http.ResponseWriter
	flushes int
	err     error
}

func (f *flushCounter) FlushError() error { f.flushes++; return f.err }

type wrapper struct{ http.ResponseWriter }

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestStreamFlushesOncePerSend(t *testing.T) {
	t.Parallel()
	w := &flushCounter{ResponseWriter: httptest.NewRecorder()}
	s, err := NewStream(wrapper{w}, StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(make([]Record, 5)...); err != nil || w.flushes != 1 {
		t.Errorf("Send() = %v with %d flushes, want 1", err, w.flushes)
	}
}

func TestStreamStaysFailed(t *testing.T) {
	t.Parallel()
	w := &flushCounter{ResponseWriter: httptest.NewRecorder(), err: net.ErrClosed}
	s, err := NewStream(w, StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range []error{s.Send(Record{Data: []byte("{}")}), s.Send(Record{}), s.Comment("x"), s.Open(), s.Close()} {
		if !errors.Is(err, net.ErrClosed) {
			t.Errorf("call %d: error = %v, want the flush's", i, err)
		}
	}
	if w.flushes != 1 {
		t.Errorf("%d flushes after the stream had failed", w.flushes)
	}
}

func TestStreamNeedsAFlusher(t *testing.T) {
	t.Parallel()
	if _, err := NewStream(struct{ http.ResponseWriter }{httptest.NewRecorder()}, StreamOptions{}); !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("NewStream() error = %v, want %v", err, http.ErrNotSupported)
	}
}

// A slowWriter takes 64 KiB in 20 seconds, if that is before its deadline.
type slowWriter struct {
	http.ResponseWriter
	deadline time.Time
}

func (w *slowWriter) SetWriteDeadline(at time.Time) error {
	w.deadline = at
	return nil
}

func (w *slowWriter) Write(p []byte) (int, error) {
	left := w.deadline
	time.Sleep(time.Duration(len(p)) * 20 * time.Second / (64 << 10))
	if time.Now().After(left) {
		return 0, os.ErrDeadlineExceeded
	}
	return w.ResponseWriter.Write(p)
}

func (*slowWriter) FlushError() error { return nil }

func TestStreamGivesASlowReaderTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rec := httptest.NewRecorder()
		s, err := NewStream(&slowWriter{ResponseWriter: rec}, StreamOptions{WriteTimeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		small, large := Record{Data: []byte("{}")}, Record{Data: bytes.Repeat([]byte("x"), 1<<20)}
		if err := s.Send(small, large, small); err != nil {
			t.Error(err)
		}
		if got, want := rec.Body.Len(), 1<<20+len("data: \n\n")+2*len("data: {}\n\n"); got != want {
			t.Errorf("%d bytes were sent, want %d", got, want)
		}
	})
}

func TestStreamCutsAReaderThatDoesNotRead(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s, err := NewStream(w, StreamOptions{WriteTimeout: 50 * time.Millisecond})
		frame := Record{Data: bytes.Repeat([]byte("x"), 1<<20)}
		for err == nil {
			err = s.Send(frame)
		}
		failed <- err
	}))
	defer server.Close()
	conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !isTimeout(err) {
		t.Errorf("Send() error = %v, want a timeout", err)
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

func TestCloseLetsAQuietStreamEndWell(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s, err := NewStream(w, StreamOptions{WriteTimeout: time.Minute})
		if err == nil {
			err = s.Send(Record{Data: []byte("{}")})
		}
		if err != nil {
			t.Error(err)
			return
		}
		if err := s.control.SetWriteDeadline(time.Now().Add(-time.Second)); err != nil { // as after a long silence
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "data: {}\n\n" {
		t.Errorf("body = %q, %v", body, err)
	}
}

func TestReadStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		want     []string
		err      error
	}{
		{"nothing", "", nil, nil},
		{"events", "id: 7-1\ndata: a\n\ndata: b\n\nid: 7-2\ndata: c\n\n", []string{"7-1 a", " b", "7-2 c"}, nil},
		{"comments", ": ping\n\ndata: a\n\n: ping\n\n: ping\n\n", []string{" a"}, nil},
		{"several lines", "data: a\ndata: b\n\n", []string{" a\nb"}, nil},
		{"no space", "data:a\n\n", []string{" a"}, nil},
		{"other fields", "event: x\nretry: 5\ndata: a\nfoo: bar\n\n", []string{" a"}, nil},
		{"id alone", "id: 7-1\n\ndata: a\n\n", []string{" a"}, nil},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{" a", " b"}, nil},
		{"byte order mark", "\ufeffdata: a\n\n", []string{" a"}, nil},
		{"cut in an event", "data: a\n\ndata: b\n", []string{" a"}, io.ErrUnexpectedEOF},
		{"cut in a line", "data: a\n\ndat", []string{" a"}, io.ErrUnexpectedEOF},
		{"cut in the first line", "data: a", nil, io.ErrUnexpectedEOF},
	} {
		for _, one := range []bool{false, true} {
			var r io.Reader = strings.NewReader(test.in)
			if one {
				r = iotest.OneByteReader(r)
			}
			var got []string
			var failed error
			for rec, err := range ReadStream(r, 1<<10) {
				if err != nil {
					failed = err
					continue
				}
				got = append(got, rec.ID+" "+string(rec.Data))
			}
			if !slices.Equal(got, test.want) || !errors.Is(failed, test.err) {
				t.Errorf("%s: records %q, error %v; want %q, %v", test.name, got, failed, test.want, test.err)
			}
		}
	}
}

func TestReadStreamHasALimitAndItsReadersErrors(t *testing.T) {
	t.Parallel()
	last := func(r io.Reader) (n int, err error) {
		for _, err = range ReadStream(r, 100) {
			n++
		}
		return n, err
	}
	if n, err := last(strings.NewReader("data: a\n\ndata: " + strings.Repeat("x", 200) + "\n\ndata: b\n\n")); n != 2 || err == nil {
		t.Errorf("%d records, error %v; want one and an error", n, err)
	}
	broken := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(net.ErrClosed))
	if n, err := last(broken); n != 2 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("%d records, error %v; want one and %v", n, err, net.ErrClosed)
	}
	for _, err := range ReadStream(strings.NewReader("data: a\n\ndata: b\n\n"), 100) {
		if err != nil {
			t.Error(err)
		}
		break // a reader may stop early
	}
}

// BenchmarkStreamSend writes an event, with [Stream] and with go-sse alone, which
// docs/adr/0016-readers-of-model-streams.md compares.
func BenchmarkStreamSend(b *testing.B) {
	w := &flushCounter{ResponseWriter: discard{}}
	s, err := NewStream(w, StreamOptions{})
	if err != nil {
		b.Fatal(err)
	}
	frame := Record{ID: "1770000000000-1", Data: bytes.Repeat([]byte("x"), 200)}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Send(frame); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLibrarySend(b *testing.B) {
	frame := Record{ID: "1770000000000-1", Data: bytes.Repeat([]byte("x"), 200)}
	b.ReportAllocs()
	for b.Loop() {
		m := sse.Message{ID: sse.ID(frame.ID)}
		m.AppendData(string(frame.Data))
		if _, err := m.WriteTo(discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

// discard is a writer that costs nothing.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) WriteHeader(int)             {}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
