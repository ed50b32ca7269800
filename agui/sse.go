package agui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	sse "github.com/tmaxmax/go-sse"
)

// StreamOptions says how a [Stream] writes.
type StreamOptions struct {
	// WriteTimeout is how long a reader may take for each 64 KiB before it counts as gone; zero means without limit.
	WriteTimeout time.Duration
}

// A Stream writes events to one HTTP client as server-sent events. It has no goroutine and is not safe for
// concurrent use. After an error the client is gone: every later call returns that error.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	buf     *bytes.Buffer // from streamBuffers while something is written
	err     error
}

// NewStream prepares w for a stream: it sets the headers and sends nothing yet. It fails if w cannot flush, because
// such a stream would reach no reader before its end.
//
// w must surface the errors of a flush: a writer that has only Flush() and no FlushError(), as
// echo.Response, hides a dead peer until the next write.
func NewStream(w http.ResponseWriter, o StreamOptions) (*Stream, error) {
	if !canFlush(w) {
		return nil, fmt.Errorf("agui: stream: %w", http.ErrNotSupported)
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold small events back
	return &Stream{w: w, control: http.NewResponseController(w), timeout: o.WriteTimeout}, nil
}

// canFlush follows w's Unwrap chain as http.ResponseController does.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case interface{ FlushError() error }, http.Flusher:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// Open sends the headers at once, so that the client knows it is being served before the first event.
func (s *Stream) Open() error {
	if s.err != nil {
		return s.err
	}
	s.deadline()
	s.w.WriteHeader(http.StatusOK)
	return s.flush()
}

// Send writes records and flushes once behind the last: what a caller has waiting it passes in one call. A record's
// id is written if it has one.
func (s *Stream) Send(records ...Record) error {
	if len(records) == 0 || s.err != nil {
		return s.err
	}
	s.take()
	for i := range records {
		s.append(&records[i])
	}
	return s.write()
}

// SendAll is Send for records that need not be in a list. It flushes also if there is none.
func (s *Stream) SendAll(records iter.Seq[Record]) error {
	if s.err != nil {
		return s.err
	}
	s.take()
	for r := range records {
		s.append(&r)
	}
	return s.write()
}

// largeRecord is from how many bytes on a record is written from where it is: who sends a long conversation need not
// copy it for each reader.
const largeRecord = 16 << 10

// append writes a record into the buffer. The library splits data with line breaks, which our events and ids do not
// have.
func (s *Stream) append(r *Record) {
	if len(r.Data) > 0 && bytes.IndexByte(r.Data, '\n') < 0 && bytes.IndexByte(r.Data, '\r') < 0 && printable(r.ID) {
		if r.ID != "" {
			s.buf.WriteString("id: ")
			s.buf.WriteString(r.ID)
			s.buf.WriteByte('\n')
		}
		s.buf.WriteString("data: ")
		if len(r.Data) < largeRecord {
			s.buf.Write(r.Data)
		} else {
			s.drain()
			s.pieces(r.Data)
		}
		s.buf.WriteString("\n\n")
		return
	}
	var m sse.Message
	if r.ID != "" {
		m.ID = sse.ID(r.ID)
	}
	m.AppendData(string(r.Data))
	_, _ = m.WriteTo(s.buf) // a bytes.Buffer returns no error
}

// printable reports whether an id has no control characters, some of which would end it.
func printable(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' {
			return false
		}
	}
	return true
}

// Comment writes a comment, which clients ignore: it keeps proxies from closing a quiet stream.
func (s *Stream) Comment(text string) error {
	if s.err != nil {
		return s.err
	}
	s.take()
	var m sse.Message
	m.AppendComment(text)
	_, _ = m.WriteTo(s.buf) // a bytes.Buffer returns no error
	return s.write()
}

// Close sets a new deadline for the bytes with which the server ends the response: that of the last write
// may have passed while the stream was quiet, and the client would see a broken response. Call it when the
// handler is about to return.
func (s *Stream) Close() error {
	if s.err == nil {
		s.deadline()
	}
	return s.err
}

func (s *Stream) drain() {
	s.pieces(s.buf.Bytes())
	s.buf.Reset()
}

// pieces writes data in pieces with a deadline each: a reader that is slow gets all of a large snapshot.
func (s *Stream) pieces(data []byte) {
	for len(data) > 0 && s.err == nil {
		s.deadline()
		piece := data[:min(len(data), writePiece)]
		if _, err := s.w.Write(piece); err != nil {
			s.err = fmt.Errorf("agui: stream: %w", err)
		}
		data = data[len(piece):]
	}
}

func (s *Stream) write() error {
	if s.drain(); s.buf.Cap() <= maxKeptBuffer {
		streamBuffers.Put(s.buf)
	}
	s.buf = nil
	if s.err != nil {
		return s.err
	}
	return s.flush()
}

// take gives the stream a buffer until the next write: a quiet stream holds on to none.
func (s *Stream) take() { s.buf = streamBuffers.Get().(*bytes.Buffer) }

var streamBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// writePiece is the number of bytes of a stream that share a deadline.
const writePiece = 64 << 10

// maxKeptBuffer is how large a buffer may be that is used again: one large snapshot must not be paid for later.
const maxKeptBuffer = 64 << 10

func (s *Stream) flush() error {
	if err := s.control.Flush(); err != nil {
		s.err = fmt.Errorf("agui: stream: flush: %w", err)
	}
	return s.err
}

// deadline limits the writes that follow. A writer that knows no deadlines, such as a test's, does without.
func (s *Stream) deadline() {
	if s.timeout <= 0 {
		return
	}
	err := s.control.SetWriteDeadline(time.Now().Add(s.timeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.err = fmt.Errorf("agui: stream: deadline: %w", err)
	}
}

// A Record is one server-sent event of a stream.
type Record struct {
	// ID is the event's id, with which a client that was cut off asks for what follows. It is empty if the event has
	// none, and in a stream that is read also if it repeats the one before it.
	ID   string
	Data []byte // one encoded event of the protocol, without line breaks
	// Name is the event's type as the stream of another protocol says it; AG-UI's events have theirs in the data, and
	// [Stream.Send] writes none.
	Name string
}

// ReadStream reads server-sent events, each at most maxEvent bytes long (64 KiB if it is 0), until the end of r or the
// first error. Comments and events without data are passed over. A stream that ends in the middle of an event ends with
// [io.ErrUnexpectedEOF] and without that event; whether a stream that ends between events has all it should is for its
// reader to know, by the run's terminal event.
func ReadStream(r io.Reader, maxEvent int) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		last := ""
		for e, err := range sse.Read(&wholeEvents{r: r}, &sse.ReadConfig{MaxEventSize: maxEvent}) {
			if err != nil {
				yield(Record{}, readError(err))
				return
			}
			rec := Record{Data: []byte(e.Data), Name: e.Type}
			// The library repeats the last id on events that have none.
			if e.LastEventID != last {
				rec.ID, last = e.LastEventID, e.LastEventID
			}
			if e.Data != "" && !yield(rec, nil) {
				return
			}
		}
	}
}

func readError(err error) error {
	if errors.Is(err, sse.ErrUnexpectedEOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("agui: read stream: %w", err)
}

// wholeEvents turns the end of a stream that does not end with a blank line into an error; the library would
// hand out what it has of the last event as if it were whole.
type wholeEvents struct {
	r    io.Reader
	tail string // the last bytes read
}

func (w *wholeEvents) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	const longest = len("\r\n\r\n")
	tail := w.tail + string(p[max(0, n-longest):n])
	w.tail = tail[max(0, len(tail)-longest):]
	if errors.Is(err, io.EOF) && !w.whole() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (w *wholeEvents) whole() bool {
	return w.tail == "" || strings.HasSuffix(w.tail, "\n\n") || strings.HasSuffix(w.tail, "\r\n\r\n") ||
		strings.HasSuffix(w.tail, "\r\r")
}
