package gateway

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// answerError answers with an error, unless the response has begun. Only the log gets the cause.
func (g *Gateway) answerError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		if begun, ok := w.(interface{ Begun() bool }); ok && !begun.Begun() {
			// the client is gone, or has only half-closed: that must not look like a success
			w.WriteHeader(http.StatusRequestTimeout)
		}
		return
	}
	if errors.Is(err, route.ErrReaderGone) {
		g.log(r).Debug("reader: gone", "path", route.Shorten(r.URL.Path), "error", err)
		return
	}
	g.noteLimit(err)
	code := errcode.Of(err)
	status := code.Status()
	log := g.log(r).With(route.RequestAttrs(r)...).With("code", string(code))
	if refused, ok := errors.AsType[*refusedAnswer](err); ok {
		log = log.With(problemAttrs(refused.details)...)
	}
	if status >= http.StatusInternalServerError && code != errcode.Draining && code != errcode.Overloaded {
		log.Error("request: failed", "error", err)
	} else {
		log.Info("request: refused")
	}
	g.writeError(w, r, err)
}

// retryAfter is the default delay that clients are asked for after a 503 or a 429.
const retryAfter = time.Second

// A retryError is an error with a known delay before the client should retry.
type retryError struct {
	err   error
	after time.Duration
}

// Error is that of the cause.
func (e *retryError) Error() string { return e.err.Error() }

// Unwrap returns the cause, which has the code.
func (e *retryError) Unwrap() error { return e.err }

// retryAfterOf returns the seconds that a client should wait after err: as many whole ones as it takes.
func retryAfterOf(err error) string {
	after := retryAfter
	if known, ok := errors.AsType[*retryError](err); ok {
		after = max(after, known.after)
	}
	return strconv.FormatInt(int64((after+time.Second-1)/time.Second), 10)
}

// writeError answers with an error, if the response has not begun.
func (g *Gateway) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if begun, ok := w.(interface{ Begun() bool }); ok && begun.Begun() {
		return
	}
	code := errcode.Of(err)
	status := code.Status()
	message := code.Message()
	if coded, ok := errors.AsType[*errcode.Error](err); ok {
		message = coded.Public()
	} else if field, ok := errors.AsType[*agui.FieldError](err); ok {
		message = (&errcode.Error{Code: code, Err: field}).Public()
	}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", retryAfterOf(err))
	}
	if errors.Is(err, route.ErrCoding) {
		w.Header().Set("Accept-Encoding", "identity")
	}
	// where a proxy authenticates, a token would not help
	if status == http.StatusUnauthorized && g.o.auth() != "header" {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	var details []state.Problem
	if refused, ok := errors.AsType[*refusedAnswer](err); ok {
		details = refused.details
	}
	route.Answer(w, status, errorBody(r, code, message, details...))
}

// errorBody returns the body of an error in the form that the route's clients read.
func errorBody(r *http.Request, code errcode.Code, message string, details ...state.Problem) any {
	if copilotkit.Owns(r.URL.Path) {
		return copilotkit.ErrorBody(code, message, route.RequestID(r))
	}
	body := map[string]any{"code": string(code), "message": message, "requestId": route.RequestID(r)}
	if len(details) > 0 {
		body["details"] = details
	}
	return map[string]any{"error": body}
}
