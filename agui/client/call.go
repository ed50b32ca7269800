package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// A Call is a request to a server that has an API of its own in place of AG-UI's.
type Call struct {
	Method string
	// Path are the elements of the path below the client's URL, not escaped.
	Path   []string
	Query  url.Values
	Header http.Header // as in [Request]
	Body   any         // written as JSON; nil is none
}

// Ask sends a call and reads its JSON answer, of at most MaxEvent bytes, into v, if v is not nil. It takes at most Connect. An error is
// an [*Error] or the cause of ctx.
func (c *Client) Ask(ctx context.Context, call Call, v any) error {
	body, err := call.body()
	if err != nil {
		return err
	}
	return c.askWithin(ctx, c.o.Connect, c.o.MaxEvent, call.Method, c.at(call), body, call.Header, v)
}

// Records sends a call and yields the server-sent events of its answer, within the limits of [Options], when its result is ranged over.
// An answer that ends between two events ends without an error; whether it is whole is for the caller to know. An error is the last
// thing: an [*Error] or the cause of ctx.
func (c *Client) Records(ctx context.Context, call Call) iter.Seq2[agui.Record, error] {
	return func(yield func(agui.Record, error) bool) {
		if err := c.records(ctx, call, yield); err != nil {
			yield(agui.Record{}, err)
		}
	}
}

func (c *Client) records(ctx context.Context, call Call, yield func(agui.Record, error) bool) error {
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if d := c.o.Timeout; d > 0 {
		defer time.AfterFunc(d, func() { cancel(errTotal) }).Stop()
	}
	response, err := c.open(ctx, own, cancel, call)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // what is left of it is of no use
	clock := &idleTimer{idle: c.o.Idle, cancel: cancel}
	defer clock.stop()
	all := &bounded{r: response.Body, left: c.o.MaxBytes, limited: c.o.MaxBytes > 0, clock: clock}
	events := 0
	for record, err := range agui.ReadStream(all, unlimited(c.o.MaxEvent)) {
		events++
		switch {
		case err != nil && all.over:
			return unread(ctx, own, errBytes)
		case err != nil:
			return unread(ctx, own, err)
		case c.o.MaxEvents > 0 && events > c.o.MaxEvents:
			return &Error{Fault: FaultTooLarge, Err: errEvents}
		case !yield(record, nil):
			return nil
		}
	}
	return nil
}

// open sends a call whose answer has to be a stream.
func (c *Client) open(ctx, own context.Context, cancel context.CancelCauseFunc, call Call) (*http.Response, error) {
	body, err := call.body()
	if err != nil {
		return nil, err
	}
	request, err := c.newRequest(own, call.Method, c.at(call), body, call.Header)
	if err != nil {
		return nil, err
	}
	return c.openStream(ctx, own, cancel, request)
}

// openStream sends a request whose answer has to be a stream.
func (c *Client) openStream(ctx, own context.Context, cancel context.CancelCauseFunc, request *http.Request) (*http.Response, error) {
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Accept-Encoding", "identity") // what is compressed comes late
	if d := c.o.Connect; d > 0 {
		defer time.AfterFunc(d, func() { cancel(errConnect) }).Stop()
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, broken(ctx, own, FaultUnreachable, err)
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && media == "text/event-stream" {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }() // it has been read as far as it is of use
	return nil, refusal(response)
}

// at is the URL of a call.
func (c *Client) at(call Call) *url.URL {
	elements := make([]string, len(call.Path))
	for i, e := range call.Path {
		elements[i] = element(e)
	}
	u := c.url.JoinPath(elements...)
	if len(call.Query) > 0 {
		q := u.Query()
		for name, values := range call.Query {
			q[name] = values
		}
		u.RawQuery = q.Encode()
	}
	return u
}

func (call Call) body() ([]byte, error) {
	if call.Body == nil {
		return nil, nil
	}
	body, err := agui.Marshal(call.Body)
	if err != nil {
		return nil, &Error{Fault: FaultInvalid, Err: errors.New("the request cannot be written")}
	}
	return body, nil
}

// unlimited is a limit in bytes, or far more than anybody sends.
func unlimited(limit int) int {
	if limit == 0 {
		return 1 << 30
	}
	return limit
}

// readAll reads at most limit bytes, and reports whether there were more.
func readAll(r io.Reader, limit int) (data []byte, over bool, err error) {
	data, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	return data[:min(len(data), limit)], len(data) > limit, err
}
