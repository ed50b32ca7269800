package groupchat

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/internal/redact"
)

// A modelTry is one request to a model's server, as go-openai makes it with the body it should have.
type modelTry struct {
	m     *Model
	body  []byte
	asked *string // gets the URL, as it may be logged
	watch *watchdog
}

// maxModelError is the most bytes of an error's body that are read.
const maxModelError = 64 << 10

// Do sends the request. Whatever is no reply comes back as an error, with its body closed.
func (t *modelTry) Do(r *http.Request) (*http.Response, error) {
	r.Body = io.NopCloser(bytes.NewReader(t.body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(t.body)), nil }
	r.ContentLength = int64(len(t.body))
	*t.asked = redact.URL(r.URL)
	response, err := t.m.http.Do(r)
	if err != nil {
		return nil, newModelFault(faultAway, unlocated(err))
	}
	t.watch.start()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer func() { _ = response.Body.Close() }() // nothing is to be learned from its error
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxModelError))
		return nil, statusFault(response, body)
	}
	response.Body = &watchedBody{
		lines: newEventLines(&patted{response.Body, t.watch}, t.m.o.MaxReply), close: response.Body.Close,
	}
	return response, nil
}

// A watchedBody is the body of a reply.
type watchedBody struct {
	lines *eventLines
	close func() error
}

func (b *watchedBody) Read(p []byte) (int, error) { return b.lines.Read(p) }

func (b *watchedBody) Close() error { return b.close() }

// A watchdog barks when a reply is silent for too long.
type watchdog struct {
	idle time.Duration
	bark func()

	mu    sync.Mutex
	timer *time.Timer
}

func (w *watchdog) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.idle, w.bark)
}

// pat tells the dog that the reply is alive.
func (w *watchdog) pat() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Reset(w.idle)
	}
}

// lingering is how long the end of a complete reply is waited for: what the call used may come, and some servers leave
// the connection open.
const lingering = 5 * time.Second

// hurry makes the dog impatient.
func (w *watchdog) hurry() {
	w.mu.Lock()
	w.idle = min(w.idle, lingering)
	w.mu.Unlock()
	w.pat()
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// A patted reader pats the watchdog with everything it reads.
type patted struct {
	r     io.Reader
	watch *watchdog
}

func (p *patted) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if n > 0 {
		p.watch.pat()
	}
	return n, err
}
