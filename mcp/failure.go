package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/internal/redact"
)

// lastFailure keeps what a server last wrote about a failure: a program on stderr, an endpoint in the body of an error.
type lastFailure struct{ text atomic.Pointer[string] }

func (l *lastFailure) set(text string) { l.text.Store(&text) }

func (l *lastFailure) get() string {
	if text := l.text.Load(); text != nil {
		return *text
	}
	return ""
}

// failureRecorder notes what the endpoint writes in the bodies of errors.
type failureRecorder struct {
	next http.RoundTripper
	last *lastFailure
}

// RoundTrip sends r. Only POST counts: a server may refuse the GET that opens the stream of notifications, which is no
// failure.
func (l *failureRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err != nil || r.Method != http.MethodPost {
		return response, err
	}
	if response.StatusCode < http.StatusBadRequest {
		l.last.set("")
		return response, nil
	}
	const enough = 4 << 10
	body, _ := io.ReadAll(io.LimitReader(response.Body, enough)) // whatever could be read
	response.Body = &partlyRead{io.MultiReader(bytes.NewReader(body), response.Body), response.Body}
	l.last.set(strings.TrimSpace(response.Status + " " + redact.Sentence(body)))
	giveUp, ok := r.Context().Value(giveUpKey{}).(context.CancelCauseFunc)
	if ok && response.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != "" {
		giveUp(sdk.ErrSessionMissing) // before the end of the connection becomes the cause
	}
	return response, nil
}

// giveUpKey is the key of the context of a call's requests for the function that ends the call.
type giveUpKey struct{}

// partlyRead is a body of which the beginning has been read.
type partlyRead struct {
	io.Reader
	io.Closer
}
