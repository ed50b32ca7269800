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
	limits Options
	ctx    context.Context // the caller's
	reqCtx context.Context // done when the session's time is over, too
	cancel context.CancelCauseFunc
	timer  *time.Timer
	header http.Header
	bare   bool // requests do not have the headers of the options
	left   int64
	events int
}

// Session begins a session. header is added to each request, as in [Request]. The caller has to end it.
func (c *Client) Session(ctx context.Context, header http.Header) *Session {
	return c.session(ctx, header, c.o)
}

func (c *Client) session(ctx context.Context, header http.Header, limits Options) *Session {
	s := &Session{c: c, limits: limits, ctx: ctx, header: header, left: limits.MaxBytes}
	s.reqCtx, s.cancel = context.WithCancelCause(ctx)
	if d := limits.Timeout; d > 0 {
		s.timer = time.AfterFunc(d, func() { s.cancel(errTotal) })
	}
	return s
}

// controlTimeout bounds requests that are not runs: those for capabilities, stops and open questions.
const controlTimeout = 5 * time.Second

// control begins a session for a request that is not a run. The limits of the options are those of runs.
func (c *Client) control(ctx context.Context, header http.Header) *Session {
	return c.session(ctx, header, Options{Timeout: controlTimeout, MaxEvent: 8 << 20})
}

// ask is [Session.Ask] in a session for this call.
func (c *Client) ask(ctx context.Context, header http.Header, call Call, v any) error {
	s := c.control(ctx, header)
	defer s.End()
	return s.Ask(call, v)
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
	r, err := s.send(call, "application/json")
	if err != nil {
		return err
	}
	defer r.close()
	switch {
	case !r.isSuccess():
		return refusal(r.Response)
	case v == nil:
		return nil
	}
	data, err := r.document()
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
	accept := eventStream
	if !call.Stream {
		accept = "application/json, " + accept
	}
	r, err := s.send(call, accept)
	if err != nil {
		return err
	}
	defer r.close()
	switch {
	case r.media == "text/html":
		return &Error{Fault: FaultStatus, Status: r.StatusCode, Err: ErrPage}
	case !r.isSuccess():
		return refusal(r.Response)
	case r.media == eventStream:
		return r.stream(r, yield)
	case call.Stream:
		return refusal(r.Response)
	case r.media == "application/json":
		data, err := r.document()
		if err == nil {
			yield(agui.Record{Data: data}, nil)
		}
		return err
	default:
		return &Error{Fault: FaultInvalid, Status: r.StatusCode, Err: errNoStream}
	}
}

// eventStream is the media type of streams.
const eventStream = "text/event-stream"

// send sends a call, and waits up to Connect for its response headers. The caller has to close the response.
func (s *Session) send(call Call, accept string) (*response, error) {
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	body, err := call.body()
	if err != nil {
		return nil, err
	}
	r := &response{s: s}
	r.ctx, r.cancel = context.WithCancelCause(s.reqCtx)
	headers := []http.Header{s.c.o.Headers, s.header, call.Header}
	if s.bare {
		headers = nil
	}
	request, err := newRequest(r.ctx, call.Method, s.c.at(call), body, headers...)
	if err != nil {
		r.cancel(nil)
		return nil, err
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", "identity") // compression delays events
	if d := s.limits.Connect; d > 0 {
		defer time.AfterFunc(d, func() { r.cancel(errConnect) }).Stop()
	}
	if r.Response, err = s.c.http.Do(request); err != nil { //nolint:bodyclose // see close
		err = classify(s.ctx, r.ctx, FaultUnreachable, err)
		r.cancel(nil)
		return nil, err
	}
	r.media, _, _ = mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r, nil
}

// A response is one of a session. Reading it counts bytes for the session, and limits idle time.
type response struct {
	*http.Response
	s      *Session
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	media  string
	over   bool      // there was more than the session may read
	until  time.Time // deadline for closing a stream with an ended run; zero while it runs
}

func (r *response) isSuccess() bool { return r.StatusCode >= 200 && r.StatusCode <= 299 }

func (r *response) close() {
	_ = r.Body.Close() // read as far as needed
	r.cancel(nil)
}

// Read reads from the body. Time spent by the consumer between two calls is not idle time.
func (r *response) Read(p []byte) (int, error) {
	if r.s.limits.MaxBytes > 0 {
		if r.s.left <= 0 {
			r.over = true
			return 0, errBytes
		}
		p = p[:min(int64(len(p)), r.s.left)]
	}
	switch idle := r.s.limits.Idle; {
	case !r.until.IsZero():
		defer time.AfterFunc(time.Until(r.until), func() { r.cancel(errLingered) }).Stop()
	case idle > 0:
		defer time.AfterFunc(idle, func() { r.cancel(errSilent) }).Stop()
	}
	n, err := r.Body.Read(p)
	r.s.left -= int64(n)
	return n, err
}

// linger bounds the time for closing a stream after its run's end, in case a failure or another run follows.
const linger = time.Second

// ended records whether the last event was the end of a run.
func (r *response) ended(over bool) {
	switch {
	case !over:
		r.until = time.Time{}
	case r.until.IsZero():
		r.until = time.Now().Add(linger)
	}
}

// stream yields the events of in, which reads from r. It ends without an error if the consumer has stopped.
func (r *response) stream(in io.Reader, yield func(agui.Record, error) bool) error {
	limits := &r.s.limits
	for record, err := range agui.ReadStream(in, unlimited(limits.MaxEvent)) {
		if err != nil {
			return r.classify(err)
		}
		if r.s.events++; limits.MaxEvents > 0 && r.s.events > limits.MaxEvents {
			return &Error{Fault: FaultTooLarge, Err: errEvents}
		}
		if !yield(record, nil) {
			return nil
		}
	}
	return nil
}

// document reads all of the body. With an error it returns the part that was read.
func (r *response) document() ([]byte, error) {
	limit := unlimited(r.s.limits.MaxEvent)
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case r.over, len(data) > limit:
		return data[:min(len(data), limit)], &Error{Fault: FaultTooLarge, Err: errBytes}
	case err != nil:
		return data, r.classify(err)
	}
	return data, nil
}
