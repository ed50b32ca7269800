package anthropic

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

func TestErrorsHaveCodes(t *testing.T) {
	t.Parallel()
	for kind, tt := range map[string]struct {
		status int
		code   errcode.Code
		tries  int
	}{
		"invalid_request_error": {400, errcode.ModelRequest, 1},
		"authentication_error":  {401, errcode.ModelAuth, 1},
		"billing_error":         {402, errcode.ModelUnavailable, 1},
		"permission_error":      {403, errcode.ModelAuth, 1},
		"not_found_error":       {404, errcode.ModelRequest, 1},
		"request_too_large":     {413, errcode.ModelContextLength, 1},
		"rate_limit_error":      {429, errcode.ModelUnavailable, 2},
		"api_error":             {500, errcode.ModelUnavailable, 2},
		"timeout_error":         {504, errcode.ModelUnavailable, 2},
		"overloaded_error":      {529, errcode.ModelUnavailable, 2},
		"an_error_of_tomorrow":  {422, errcode.ModelRequest, 1},
		"a_key_of_tomorrow":     {401, errcode.ModelAuth, 1},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			a := refusal(tt.status, kind)
			if tt.tries > 1 {
				a.header["Retry-After"] = "0.01"
			}
			r, m := serve(t, nil, a, a, a)
			_, err := m.Stream(t.Context(), hi, model.Deltas{})
			if errcode.Of(err) != tt.code || len(r.requests) != tt.tries {
				t.Errorf("Stream() error = %v after %d tries, want %s after %d", err, len(r.requests), tt.code, tt.tries)
			}
			if strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "req_011CSHoEeqs5C35K2UUqR7Fy") {
				t.Errorf("Stream() error = %v, want the request's id and not the server's words", err)
			}
		})
	}
}

// TestASecondTry is made where nothing was said, by the server's clock, and only while the run is this process'.
func TestASecondTry(t *testing.T) {
	t.Parallel()
	busy := refusal(529, "overloaded_error")
	r, m := serve(t, nil, busy, says("Hello!"))
	reply, err := m.Stream(t.Context(), hi, model.Deltas{})
	if err != nil || reply.Text != "Hello!" || len(r.requests) != 2 || r.requests[0] != r.requests[1] {
		t.Errorf("Stream() = %+v, %v after %d tries", reply, err, len(r.requests))
	}
	late := refusal(429, "rate_limit_error")
	late.header["Retry-After"] = "3600"
	r, m = serve(t, nil, late, says("Hello!"))
	if _, err := m.Stream(t.Context(), hi, model.Deltas{}); errcode.Of(err) != errcode.ModelUnavailable || len(r.requests) != 1 {
		t.Errorf("Stream() error = %v after %d tries, want no wait of an hour", err, len(r.requests))
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	busy.header["Retry-After"] = "20"
	_, m = serve(t, nil, busy)
	m.http.Transport = after(m.http.Transport, func() { cancel(stopped) })
	if _, err := m.Stream(ctx, hi, model.Deltas{}); !errors.Is(err, stopped) {
		t.Errorf("Stream() error = %v, want the cause of the context", err)
	}
}

// after is a transport that calls f when an answer is there.
func after(next http.RoundTripper, f func()) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		defer f()
		return next.RoundTrip(r)
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestServersThatAreAway(t *testing.T) {
	t.Parallel()
	_, m := serve(t, func(s *Settings) { s.BaseURL, s.Retries = "http://user:hush@127.0.0.1:1", 0 })
	if _, err := m.Stream(t.Context(), hi, model.Deltas{}); errcode.Of(err) != errcode.ModelUnavailable || strings.Contains(err.Error(), "hush") {
		t.Errorf("Stream() error = %v", err)
	}
	_, m = serve(t, func(s *Settings) { s.Timeout = time.Nanosecond }, says("Hello!"))
	if _, err := m.Stream(t.Context(), hi, model.Deltas{}); errcode.Of(err) != errcode.ModelUnavailable || !errors.Is(err, errTimeout) {
		t.Errorf("Stream() error = %v, want that the time is up", err)
	}
	elsewhere := answer{status: http.StatusTemporaryRedirect, header: map[string]string{"Location": "http://127.0.0.1:1/"}}
	r, m := serve(t, nil, elsewhere, elsewhere)
	if _, err := m.Stream(t.Context(), hi, model.Deltas{}); errcode.Of(err) != errcode.ModelRequest || len(r.requests) != 1 {
		t.Errorf("Stream() error = %v, want that a redirect is not followed", err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	r, m := serve(t, nil, answer{status: 200, body: `{"type":"model","id":"claude"}`}, refusal(401, "authentication_error"))
	if err := m.Check(t.Context()); err != nil {
		t.Errorf("Check() = %v", err)
	}
	if err := m.Check(t.Context()); errcode.Of(err) != errcode.ModelAuth {
		t.Errorf("Check() = %v, want model_auth", err)
	}
	if r.paths[0] != "GET /v1/models/claude" || r.headers[0].Get("X-Api-Key") != "sk-ant-hush" {
		t.Errorf("asked %q", r.paths)
	}
}
