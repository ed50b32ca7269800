package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/telemetry"
)

// http returns a client that adds the headers to requests to the endpoint's host, and to no other.
func (s *Server) http() *http.Client {
	client := *s.o.HTTP
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = &failureRecorder{next: &limiter{telemetry.Transport(client.Transport)}, last: &s.lastFailure}
	if u, err := url.Parse(s.o.URL); err == nil && (len(s.o.Headers) > 0 || s.o.Header != nil) {
		client.Transport = &headers{next: client.Transport, scheme: u.Scheme, host: u.Host, s: s}
	}
	return &client
}

// headers adds headers to the requests to one host.
type headers struct {
	next         http.RoundTripper
	scheme, host string
	s            *Server
}

// RoundTrip sends r with the headers.
func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != h.scheme || r.URL.Host != h.host {
		return h.next.RoundTrip(r)
	}
	more, err := h.s.computed(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as a RoundTripper has to
		}
		return nil, err
	}
	r = r.Clone(r.Context())
	for name, value := range h.s.o.Headers {
		r.Header.Set(name, value)
	}
	maps.Copy(r.Header, more)
	return h.next.RoundTrip(r)
}

// callKey is where the context of a call's requests has the call.
type callKey struct{}

// forCall returns a context for the requests of a call.
func forCall(ctx context.Context, c groupchat.ToolCall) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// computed is what Options.Header returns for a request. It is called in goroutines of the SDK, where a panic would end
// the process.
func (s *Server) computed(ctx context.Context) (header http.Header, err error) {
	if s.o.Header == nil {
		return nil, nil
	}
	defer func() {
		if v := recover(); v != nil {
			header, err = nil, fmt.Errorf("mcp: the header hook panicked: %v", v)
		}
	}()
	c, _ := ctx.Value(callKey{}).(groupchat.ToolCall)
	given, err := s.o.Header(ctx, c)
	if err != nil {
		return nil, errors.Join(errors.New("mcp: the header hook failed"), err)
	}
	header = http.Header{}
	for name, values := range given {
		header[http.CanonicalHeaderKey(name)] = values
	}
	s.hookSecrets.note(header)
	return header, nil
}
