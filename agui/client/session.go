package client

import (
	"bytes"
	"context"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// A Session is an answer that takes several requests, in whatever protocol: the bounds of [Options] on bytes, events and time hold for
// all of them together. It belongs to one goroutine, which may send a request while it reads the answer to another.
type Session struct {
	c      *Client
	ctx    context.Context // the caller's
	own    context.Context // done when the session's time is over, too
	cancel context.CancelCauseFunc
	timer  *time.Timer
	header http.Header
	left   int64
	events int
}

// Session begins an answer. Header goes with each of its requests, as in [Request]. The caller has to end it.
func (c *Client) Session(ctx context.Context, header http.Header) *Session {
	s := &Session{c: c, ctx: ctx, header: header, left: c.o.MaxBytes}
	s.own, s.cancel = context.WithCancelCause(ctx)
	if d := c.o.Timeout; d > 0 {
		s.timer = time.AfterFunc(d, func() { s.cancel(errTotal) })
	}
	return s
}

// End ends the session, and with it whatever is still being read.
func (s *Session) End() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.cancel(nil)
}

// Sleep waits for d. It returns the error that the session ends with, if that is earlier.
func (s *Session) Sleep(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.own.Done():
		return broken(s.ctx, s.own, FaultCut, s.own.Err())
	}
}

// A SessionCall is one request of a [Session].
type SessionCall struct {
	Method string
	URL    *url.URL
	Body   []byte      // JSON; nil sends none
	Header http.Header // of the protocol, such as its version
}

// Records sends a request when its result is ranged over, and yields what the answer has: the data of each event if it is a stream, the whole
// of it if it is JSON. Everything else is an [*Error], of [ErrPage] if it is a web page; so is a stream that breaks off. One that ends between events
// just ends. After an error there is nothing.
func (s *Session) Records(call SessionCall) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := s.records(call, func(data []byte) bool { return yield(data, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func (s *Session) records(call SessionCall, yield func([]byte) bool) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	own, cancel := context.WithCancelCause(s.own)
	defer cancel(nil)
	response, err := s.send(own, cancel, call)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it has been read as far as it is of use
	clock := &idleTimer{idle: s.c.o.Idle, cancel: cancel}
	defer clock.stop()
	body := &metered{s: s, r: response.Body, clock: clock}
	switch media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case media == "text/html":
		return &Error{Fault: FaultStatus, Status: response.StatusCode, Err: ErrPage}
	case response.StatusCode < 200 || response.StatusCode > 299:
		return refusal(response)
	case media == "text/event-stream":
		return s.stream(own, body, yield)
	case media == "application/json":
		return s.document(own, body, yield)
	default:
		return &Error{Fault: FaultInvalid, Status: response.StatusCode, Err: errNoStream}
	}
}

// send sends the request, and waits until its answer begins.
func (s *Session) send(own context.Context, cancel context.CancelCauseFunc, call SessionCall) (*http.Response, error) {
	request, err := s.c.newRequest(own, call.Method, call.URL, call.Body, s.header)
	if err != nil {
		return nil, err
	}
	for name, values := range call.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Accept-Encoding", "identity") // what is compressed comes late
	if d := s.c.o.Connect; d > 0 {
		defer time.AfterFunc(d, func() { cancel(errConnect) }).Stop()
	}
	response, err := s.c.http.Do(request)
	if err != nil {
		return nil, broken(s.ctx, own, FaultUnreachable, err)
	}
	return response, nil
}

// A metered body counts what is read of it as the session's, and times it.
type metered struct {
	s     *Session
	r     io.Reader
	clock *idleTimer
	over  bool // there was more than the session may read
}

func (m *metered) Read(p []byte) (int, error) {
	b := bounded{r: m.r, left: m.s.left, limited: m.s.c.o.MaxBytes > 0, clock: m.clock}
	n, err := b.Read(p)
	m.s.left, m.over = b.left, b.over
	return n, err
}

// maxEvent is how long one event, or one document, may be.
func (s *Session) maxEvent() int {
	if s.c.o.MaxEvent > 0 {
		return s.c.o.MaxEvent
	}
	return 1 << 30
}

func (s *Session) stream(own context.Context, body *metered, yield func([]byte) bool) error {
	for record, err := range agui.ReadStream(body, s.maxEvent()) {
		if err != nil {
			if body.over {
				err = errBytes
			}
			return unread(s.ctx, own, err)
		}
		if s.events++; s.c.o.MaxEvents > 0 && s.events > s.c.o.MaxEvents {
			return &Error{Fault: FaultTooLarge, Err: errEvents}
		}
		if !yield(bytes.Clone(record.Data)) {
			return nil
		}
	}
	return nil
}

func (s *Session) document(own context.Context, body *metered, yield func([]byte) bool) error {
	most := s.maxEvent()
	data, err := io.ReadAll(io.LimitReader(body, int64(most)+1))
	switch {
	case body.over, len(data) > most:
		return &Error{Fault: FaultTooLarge, Err: errBytes}
	case err != nil:
		return unread(s.ctx, own, err)
	}
	yield(data)
	return nil
}
