package mcp

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/internal/redact"
)

// lastSaid keeps what a server said last of a failure of its own: a program on stderr, a site in the body of an error.
type lastSaid struct {
	mu   sync.Mutex
	text string
}

func (l *lastSaid) set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = text
}

func (l *lastSaid) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

// listening notes what a site says with an error.
type listening struct {
	next http.RoundTripper
	said *lastSaid
}

// RoundTrip sends r. Only what is posted counts: a stream for notifications may be refused without anything being wrong.
func (l *listening) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err != nil || r.Method != http.MethodPost {
		return response, err
	}
	if response.StatusCode < http.StatusBadRequest {
		l.said.set("")
		return response, nil
	}
	const enough = 4 << 10
	body, _ := io.ReadAll(io.LimitReader(response.Body, enough)) // what there is of it
	response.Body = &rest{io.MultiReader(bytes.NewReader(body), response.Body), response.Body}
	l.said.set(strings.TrimSpace(response.Status + " " + redact.Sentence(body)))
	return response, nil
}

// rest is a body of which a part has been read.
type rest struct {
	io.Reader
	io.Closer
}
