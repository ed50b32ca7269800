package mcp

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/internal/redact"
)

// shortest is the length from which a value is taken for a secret: shorter ones are words such as "1" or "true", and
// logs without these cannot be read.
const shortest = 4

// secrets are the values that are blotted out of whatever is logged, the longest first.
func (o *Options) secrets() []string {
	var values []string
	for _, v := range o.Env {
		values = append(values, v)
	}
	for _, v := range o.Headers {
		values = append(values, v)
		if _, credentials, ok := strings.Cut(v, " "); ok { // behind a scheme such as Bearer
			values = append(values, credentials)
		}
	}
	if u, err := url.Parse(o.URL); err == nil {
		if password, ok := u.User.Password(); ok {
			values = append(values, password, url.QueryEscape(password))
		}
		values = append(values, u.RawQuery)
	}
	values = slices.DeleteFunc(values, func(v string) bool { return len(v) < shortest })
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(values)
}

// A maskedError is an error whose text may be logged.
type maskedError struct {
	text  string
	cause error
}

func (e *maskedError) Error() string { return e.text }

func (e *maskedError) Unwrap() error { return e.cause }

// mask makes an error fit for the log: it names the server, and tells no secret and nothing of what the server was told.
func (s *Server) mask(err error, told ...string) error {
	if err == nil {
		return nil
	}
	return &maskedError{"mcp: server " + s.o.Name + ": " + redact.Line(err.Error(), s.secrets, told), err}
}

// lost is mask for an error of the connection: what the server said last tells more than that it is gone.
func (s *Server) lost(err error) error {
	if err == nil {
		return nil
	}
	text := "mcp: server " + s.o.Name + ": " + s.where() + ": " + s.readable(err.Error())
	if said := s.said.last(); said != "" {
		text += fmt.Sprintf(": the server said %q", s.readable(said))
	}
	return &maskedError{text, err}
}

// where is the server's command or URL, as it may be logged.
func (s *Server) where() string {
	if u, err := url.Parse(s.o.URL); err == nil && s.o.URL != "" {
		return redact.URL(u)
	}
	return s.o.Command
}

// readable is text without secrets, and not too long.
func (s *Server) readable(text string) string { return redact.Line(text, s.secrets, nil) }

// clip is at most the first n bytes of text.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
