package anthropic

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

func itoa(n int) string { return strconv.Itoa(n) }

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
		"too_large_tomorrow":    {413, errcode.ModelContextLength, 1},
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
			for _, want := range []string{"model anthropic/claude", kind + " req_011CSHoEeqs5C35K2UUqR7Fy", "said the prompt"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Stream() error = %v, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), testKey) {
				t.Errorf("Stream() error = %v, with the key", err)
			}
		})
	}
}

// TestASecondTry is made where nothing of a reply came, and when the server wants it.
func TestASecondTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy, late := refusal(529, "overloaded_error"), refusal(429, "rate_limit_error")
		busy.header["Retry-After"], late.header["Retry-After"] = "20", "3600"
		for _, tt := range []struct {
			answers []answer
			waits   time.Duration
			code    errcode.Code
		}{
			{[]answer{busy, says("Hello!")}, 20 * time.Second, ""},
			{[]answer{replies(began), says("Hello!")}, 0, ""},
			{[]answer{late, says("Hello!")}, 0, errcode.ModelUnavailable},
		} {
			r := &replay{answers: tt.answers}
			m, err := New(Options{Key: testKey, Name: "claude", HTTP: &http.Client{Transport: inMemory(r)}})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			reply, err := m.Stream(t.Context(), hi, model.Deltas{})
			if (err == nil) != (tt.code == "") || err != nil && errcode.Of(err) != tt.code || err == nil && reply.Text != "Hello!" {
				t.Errorf("Stream() = %q, %v", reply.Text, err)
			}
			if waited := time.Since(began); waited < tt.waits || waited > tt.waits+5*time.Second {
				t.Errorf("the second try came after %v, want %v", waited, tt.waits)
			}
		}
	})
}

func TestServersThatAreAway(t *testing.T) {
	t.Parallel()
	_, m := serve(t, func(o *Options) { o.BaseURL, o.Retries = "http://user:hush-hush-hush@127.0.0.1:1", -1 })
	if _, err := m.Stream(t.Context(), hi, model.Deltas{}); errcode.Of(err) != errcode.ModelUnavailable || strings.Contains(err.Error(), "hush") {
		t.Errorf("Stream() error = %v", err)
	}
	_, m = serve(t, func(o *Options) { o.Timeout = time.Nanosecond }, says("Hello!"))
	if _, err := m.Stream(t.Context(), hi, model.Deltas{}); errcode.Of(err) != errcode.ModelUnavailable {
		t.Errorf("Stream() error = %v, want that the time is up", err)
	}
	elsewhere := answer{status: http.StatusTemporaryRedirect, header: map[string]string{"Location": "http://127.0.0.1:1/"}}
	r, m := serve(t, nil, elsewhere, elsewhere)
	if _, err := m.Stream(t.Context(), hi, model.Deltas{}); errcode.Of(err) != errcode.ModelRequest || len(r.requests) != 1 {
		t.Errorf("Stream() error = %v, want that a redirect is not followed", err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if _, err := m.Stream(ctx, hi, model.Deltas{}); !errors.Is(err, stopped) {
		t.Errorf("Stream() error = %v, want the cause of the context", err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	r, m := serve(t, func(o *Options) { o.BaseURL += "/v1/" }, answer{status: 200, body: `{"type":"model","id":"claude"}`}, refusal(401, "authentication_error"))
	if err := m.Check(t.Context()); err != nil {
		t.Errorf("Check() = %v", err)
	}
	if err := m.Check(t.Context()); errcode.Of(err) != errcode.ModelAuth {
		t.Errorf("Check() = %v, want model_auth", err)
	}
	if r.paths[0] != "GET /v1/models/claude" || r.headers[0].Get("X-Api-Key") != testKey {
		t.Errorf("asked %q", r.paths)
	}
}

// A transport is a function as an http.RoundTripper.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering is a client with one answer.
func answering(body string) *http.Client {
	return &http.Client{Transport: inMemory(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body)
	}))}
}

// inMemory has a handler answer.
func inMemory(h http.Handler) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		response := w.Result()
		response.Request = r
		return response, nil
	})
}
