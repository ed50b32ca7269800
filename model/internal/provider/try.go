package provider

import (
	"context"
	"io"
	"net/http"

	"github.com/agui-gateway/gateway/internal/redact"
)

// A Try is one request of a call, and the reply that comes of it.
type Try struct {
	Draft
	client *Client
	idle   idleTimer
	asked  string // the URL, as it may be logged
}

// run makes the try. Nil means that the reply is complete.
func (t *Try) run(ctx context.Context, try func(context.Context, *Try) error) *Fault {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.idle.after, t.idle.expired = t.client.limits.Idle, func() { cancel(errIdle) }
	defer t.idle.stop()
	if err := try(ctx, t); err != nil {
		return faultOf(ctx, err)
	}
	return nil
}

// maxErrorBody is the most bytes of an error's body that are read.
const maxErrorBody = 64 << 10

// Send sends r. From then on the server must not be silent for too long. Of an answer with another status than 2xx the
// body is read and closed, and the error is what refusal makes of both. Any other's body is bounded.
func (t *Try) Send(r *http.Request, refusal func(response *http.Response, body []byte) error) (*http.Response, error) {
	t.asked = redact.URL(r.URL)
	response, err := t.client.http.Do(r)
	if err != nil {
		return nil, reasonOf(r.Context(), err)
	}
	t.idle.start()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer func() { _ = response.Body.Close() }() // nothing is to be learned from its error
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return nil, refusal(response, body)
	}
	response.Body = &replyBody{ReadCloser: response.Body, idle: &t.idle, left: t.client.limits.MaxReply}
	return response, nil
}

// WaitForUsage gives up soon on what may follow a complete reply: what the call used may come, and some servers leave
// the connection open.
func (t *Try) WaitForUsage() { t.idle.shorten() }

// A replyBody touches the idle timer with everything that is read, and fails when that is too much.
type replyBody struct {
	io.ReadCloser
	idle *idleTimer
	left int64
}

func (b *replyBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.idle.touch()
	}
	if b.left -= int64(n); b.left < 0 {
		return 0, NewFault(Response, ErrLarge)
	}
	return n, err
}
