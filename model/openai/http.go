package openai

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/internal/redact"
)

// A transport sends one request of go-openai's to a model's server, with the body that it should have.
type transport struct {
	m     *Model
	body  []byte
	asked *string // gets the URL, as it may be logged
	idle  *idleTimer
}

// maxErrorBody is the most bytes of an error's body that are read.
const maxErrorBody = 64 << 10

// Do sends the request. Whatever is no reply comes back as an error, with its body closed.
func (t *transport) Do(r *http.Request) (*http.Response, error) {
	r.Body = io.NopCloser(bytes.NewReader(t.body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(t.body)), nil }
	r.ContentLength = int64(len(t.body))
	*t.asked = redact.URL(r.URL)
	response, err := t.m.http.Do(r)
	if err != nil {
		return nil, newFault(faultAway, unlocated(err))
	}
	t.idle.start()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer func() { _ = response.Body.Close() }() // nothing is to be learned from its error
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return nil, statusFault(response, body)
	}
	lines := newEventLines(&activityReader{response.Body, t.idle}, t.m.o.MaxReply)
	response.Body = struct {
		io.Reader
		io.Closer
	}{lines, response.Body}
	return response, nil
}

// An idleTimer calls expired when a reply is silent for too long.
type idleTimer struct {
	idle    time.Duration
	expired func()

	mu    sync.Mutex
	timer *time.Timer
}

// start begins to wait.
func (w *idleTimer) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.idle, w.expired)
}

// touch begins to wait anew, because something of the reply came.
func (w *idleTimer) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Reset(w.idle)
	}
}

// usageWait is how long the end of a complete reply is waited for: what the call used may come, and some servers leave
// the connection open.
const usageWait = 5 * time.Second

// shorten waits for no longer than usageWait from now on.
func (w *idleTimer) shorten() {
	w.mu.Lock()
	w.idle = min(w.idle, usageWait)
	w.mu.Unlock()
	w.touch()
}

// stop ends the wait.
func (w *idleTimer) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// An activityReader touches the idle timer with everything it reads.
type activityReader struct {
	r    io.Reader
	idle *idleTimer
}

func (a *activityReader) Read(b []byte) (int, error) {
	n, err := a.r.Read(b)
	if n > 0 {
		a.idle.touch()
	}
	return n, err
}
