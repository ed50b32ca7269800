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

// A Session is an operation of several requests, in any protocol: the limits of [Options] on bytes, events and time
// apply to all of them together. It belongs to one goroutine, which may send requests while it reads responses.
type Session struct {
	c      *Client
	ctx    context.Context // the caller's
	reqCtx context.Context // done when the session's time is over, too
	cancel context.CancelCauseFunc
	timer  *time.Timer
	header http.Header
	left   int64
	events int
}

// Session begins a session. header is added to each request, as in [Request]. The caller has to end it.
func (c *Client) Session(ctx context.Context, header http.Header) *Session {
	s := &Session{c: c, ctx: ctx, header: header, left: c.o.MaxBytes}
	s.reqCtx, s.cancel = context.WithCancelCause(ctx)
	if d := c.o.Timeout; d > 0 {
		s.timer = time.AfterFunc(d, func() { s.cancel(errTotal) })
	}
	return s
}

// End ends the session, and cancels open reads.
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
	case <-s.reqCtx.Done():
		return classify(s.ctx, s.reqCtx, FaultCut, s.reqCtx.Err())
	}
}

// Ask sends a call and decodes its JSON response into v, unless nil. An error is an [*Error] or the context's cause.
func (s *Session) Ask(call Call, v any) error {
	reqCtx, cancel := context.WithCancelCause(s.reqCtx)
	defer cancel(nil)
	response, err := s.send(reqCtx, cancel, call, "application/json")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read as far as needed
	if !isSuccess(response) {
		return refusal(response)
	}
	if v == nil {
		return nil
	}
	clock := &idleTimer{idle: s.c.o.Idle, cancel: cancel}
	defer clock.stop()
	data, err := s.document(reqCtx, &meteredBody{s: s, r: response.Body, clock: clock})
	if err != nil {
		return err
	}
	return parse(data, v)
}

// Records returns a sequence that sends a call and yields the records of the response: the events of a stream, or the
// data of a JSON response if the call allows it. Any other response is an [*Error], with [ErrPage] for a web page; so
// is a stream that breaks off. A stream that ends between events ends normally: the caller has to check for
// completeness. An error, which may be the cause of the session's context, is the last item.
func (s *Session) Records(call Call) iter.Seq2[agui.Record, error] {
	return func(yield func(agui.Record, error) bool) {
		if err := s.records(call, yield); err != nil {
			yield(agui.Record{}, err)
		}
	}
}

func (s *Session) records(call Call, yield func(agui.Record, error) bool) error {
	reqCtx, cancel := context.WithCancelCause(s.reqCtx)
	defer cancel(nil)
	accept := "text/event-stream"
	if !call.Stream {
		accept = "application/json, " + accept
	}
	response, err := s.send(reqCtx, cancel, call, accept)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read as far as needed
	clock := &idleTimer{idle: s.c.o.Idle, cancel: cancel}
	defer clock.stop()
	body := &meteredBody{s: s, r: response.Body, clock: clock}
	switch media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case media == "text/html":
		return &Error{Fault: FaultStatus, Status: response.StatusCode, Err: ErrPage}
	case !isSuccess(response):
		return refusal(response)
	case media == "text/event-stream":
		return s.stream(reqCtx, body, yield)
	case call.Stream:
		return refusal(response)
	case media == "application/json":
		data, err := s.document(reqCtx, body)
		if err == nil {
			yield(agui.Record{Data: data}, nil)
		}
		return err
	default:
		return &Error{Fault: FaultInvalid, Status: response.StatusCode, Err: errNoStream}
	}
}

func isSuccess(r *http.Response) bool { return r.StatusCode >= 200 && r.StatusCode <= 299 }

// A meteredBody body counts bytes for the session, and limits idle time.
type meteredBody struct {
	s     *Session
	r     io.Reader
	clock *idleTimer
	over  bool // there was more than the session may read
}

func (m *meteredBody) Read(p []byte) (int, error) {
	b := boundedReader{r: m.r, left: m.s.left, limited: m.s.c.o.MaxBytes > 0, clock: m.clock}
	n, err := b.Read(p)
	m.s.left, m.over = b.left, b.over
	return n, err
}

func (s *Session) stream(reqCtx context.Context, body *meteredBody, yield func(agui.Record, error) bool) error {
	for record, err := range agui.ReadStream(body, unlimited(s.c.o.MaxEvent)) {
		if err != nil {
			if body.over {
				err = errBytes
			}
			return classifyRead(s.ctx, reqCtx, err)
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

func (s *Session) document(reqCtx context.Context, body *meteredBody) ([]byte, error) {
	data, over, err := readAll(body, unlimited(s.c.o.MaxEvent))
	switch {
	case body.over, over:
		return nil, &Error{Fault: FaultTooLarge, Err: errBytes}
	case err != nil:
		return nil, classifyRead(s.ctx, reqCtx, err)
	}
	return data, nil
}
