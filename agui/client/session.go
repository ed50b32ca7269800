package client

import (
	"context"
	"io"
	"iter"
	"mime"
	"net/http"
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
	select {
	case <-time.After(d):
		return nil
	case <-s.own.Done():
		return broken(s.ctx, s.own, FaultCut, s.own.Err())
	}
}

// Ask sends a call and reads its JSON answer, of at most MaxEvent bytes, into v, if v is not nil. An error is an [*Error] or the cause of
// the session's context.
func (s *Session) Ask(call Call, v any) error {
	own, cancel := context.WithCancelCause(s.own)
	defer cancel(nil)
	response, err := s.send(own, cancel, call, "application/json")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it has been read as far as it is of use
	if !isSuccess(response) {
		return refusal(response)
	}
	if v == nil {
		return nil
	}
	clock := &idleTimer{idle: s.c.o.Idle, cancel: cancel}
	defer clock.stop()
	data, err := s.document(own, &metered{s: s, r: response.Body, clock: clock})
	if err != nil {
		return err
	}
	return parse(data, v)
}

// Records sends a call when its result is ranged over, and yields what the answer has: each event if it is a stream, the data of a single one
// if it is JSON and the call lets it be. Everything else is an [*Error], of [ErrPage] if it is a web page; so is a stream that breaks off. One that
// ends between events just ends: whether it is whole is for the caller to know. After an error, which may be the cause of the session's
// context, there is nothing.
func (s *Session) Records(call Call) iter.Seq2[agui.Record, error] {
	return func(yield func(agui.Record, error) bool) {
		if err := s.records(call, yield); err != nil {
			yield(agui.Record{}, err)
		}
	}
}

func (s *Session) records(call Call, yield func(agui.Record, error) bool) error {
	own, cancel := context.WithCancelCause(s.own)
	defer cancel(nil)
	accept := "text/event-stream"
	if !call.Stream {
		accept = "application/json, " + accept
	}
	response, err := s.send(own, cancel, call, accept)
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
	case !isSuccess(response):
		return refusal(response)
	case media == "text/event-stream":
		return s.stream(own, body, yield)
	case call.Stream:
		return refusal(response)
	case media == "application/json":
		data, err := s.document(own, body)
		if err == nil {
			yield(agui.Record{Data: data}, nil)
		}
		return err
	default:
		return &Error{Fault: FaultInvalid, Status: response.StatusCode, Err: errNoStream}
	}
}

func isSuccess(r *http.Response) bool { return r.StatusCode >= 200 && r.StatusCode <= 299 }

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

func (s *Session) stream(own context.Context, body *metered, yield func(agui.Record, error) bool) error {
	for record, err := range agui.ReadStream(body, unlimited(s.c.o.MaxEvent)) {
		if err != nil {
			if body.over {
				err = errBytes
			}
			return unread(s.ctx, own, err)
		}
		if s.events++; s.c.o.MaxEvents > 0 && s.events > s.c.o.MaxEvents {
			return &Error{Fault: FaultTooLarge, Err: errEvents}
		}
		if !yield(record, nil) {
			return nil
		}
	}
	return nil
}

func (s *Session) document(own context.Context, body *metered) ([]byte, error) {
	data, over, err := readAll(body, unlimited(s.c.o.MaxEvent))
	switch {
	case body.over, over:
		return nil, &Error{Fault: FaultTooLarge, Err: errBytes}
	case err != nil:
		return nil, unread(s.ctx, own, err)
	}
	return data, nil
}
