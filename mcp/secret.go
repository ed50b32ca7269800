package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/internal/redact"
)

// secrets returns the values that are masked in whatever is logged, the longest first.
func (o *Options) secrets() []string {
	u, _ := url.Parse(o.URL) // of none it is nil
	return redact.Secrets(u,
		slices.Concat(slices.Collect(maps.Values(o.Env)), slices.Collect(maps.Values(o.Headers)))...)
}

// maxHookSecrets is how many values of Options.Header are masked: the last ones.
const maxHookSecrets = 64

// A hookSecrets has the values that Options.Header returned last. The zero value is ready.
type hookSecrets struct {
	mu     sync.Mutex
	values []string
}

func (h *hookSecrets) note(header http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, values := range header {
		for _, secret := range redact.Secrets(nil, values...) {
			if !slices.Contains(h.values, secret) {
				h.values = append(h.values, secret)
			}
		}
	}
	h.values = slices.Clone(h.values[max(0, len(h.values)-maxHookSecrets):])
}

// allSecrets returns the values that are masked now.
func (s *Server) allSecrets() []string {
	s.hookSecrets.mu.Lock()
	defer s.hookSecrets.mu.Unlock()
	return slices.Concat(s.hookSecrets.values, s.secrets)
}

// A maskedError is an error with a text that may be logged.
type maskedError struct {
	text  string
	cause error
}

func (e *maskedError) Error() string { return e.text }

func (e *maskedError) Unwrap() error { return e.cause }

// mask returns an error for the log: it names the server, and its text has neither secrets nor the request's content.
func (s *Server) mask(err error, told ...string) error {
	if err == nil {
		return nil
	}
	return &maskedError{"mcp: server " + s.o.Name + ": " + redact.Line(err.Error(), s.allSecrets(), told), err}
}

// connectionError is mask for an error of the connection. It adds the server's address and what the server wrote last,
// which explains more than that the connection was closed.
func (s *Server) connectionError(err error) error {
	if err == nil {
		return nil
	}
	text := "mcp: server " + s.o.Name + ": " + s.address() + ": " + s.redacted(err.Error())
	if said := s.lastFailure.get(); said != "" {
		text += fmt.Sprintf(": the server said %q", s.redacted(said))
	}
	return &maskedError{text, err}
}

// address returns the server's command or URL, as it may be logged.
func (s *Server) address() string {
	if u, err := url.Parse(s.o.URL); err == nil && s.o.URL != "" {
		return redact.URL(u)
	}
	return s.o.Command
}

// redacted returns text without secrets, cut to the length of a log line.
func (s *Server) redacted(text string) string { return redact.Line(text, s.allSecrets(), nil) }
