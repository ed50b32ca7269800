package gateway

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// statuses gives each code that can end a request before a stream its HTTP status.
var statuses = map[agui.Code]int{
	agui.CodeInvalidInput:         http.StatusBadRequest,
	agui.CodeUnsupportedVersion:   http.StatusBadRequest,
	agui.CodeUnauthorized:         http.StatusUnauthorized,
	agui.CodeForbidden:            http.StatusForbidden,
	agui.CodeNotFound:             http.StatusNotFound,
	agui.CodeMethodNotAllowed:     http.StatusMethodNotAllowed,
	agui.CodeAmbiguousThread:      http.StatusConflict,
	agui.CodeTooLarge:             http.StatusRequestEntityTooLarge,
	agui.CodeUnsupportedMediaType: http.StatusUnsupportedMediaType,
	agui.CodeRateLimited:          http.StatusTooManyRequests,
	agui.CodeOverloaded:           http.StatusServiceUnavailable,
	agui.CodeDraining:             http.StatusServiceUnavailable,
	agui.CodeStoreUnavailable:     http.StatusServiceUnavailable,
	agui.CodeRunInProgress:        http.StatusConflict,
	agui.CodeQueueFull:            http.StatusConflict,
	agui.CodePatchFailed:          http.StatusConflict,
	agui.CodeStateChanged:         http.StatusPreconditionFailed,
	agui.CodePatchQueueFull:       http.StatusConflict,
	agui.CodeIdempotencyKeyReused: http.StatusUnprocessableEntity,
	agui.CodeRemoteLoop:           http.StatusLoopDetected,
}

// statusOf is the HTTP status of a code; the codes of a refused resume are conflicts.
func statusOf(code agui.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	if code == agui.CodeInternal || code == agui.CodeThreadDamaged || !code.Known() {
		return http.StatusInternalServerError
	}
	return http.StatusConflict
}

// answerError ends a request with an error, if its response has not begun. Causes go to the log, with the
// request's id; clients get the code's own sentence.
func (g *Gateway) answerError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client is gone
	}
	if errors.Is(err, route.ErrReaderGone) {
		g.log(r).Debug("reader: gone", "path", route.Logged(r.URL.Path), "error", err)
		return
	}
	code := agui.CodeOf(err)
	status := statusOf(code)
	log := g.log(r)
	if status >= http.StatusInternalServerError {
		log.Error("request: failed", "method", route.Logged(r.Method), "path", route.Logged(r.URL.Path), "code", string(code), "error", err)
	} else {
		log.Info("request: refused", "method", route.Logged(r.Method), "path", route.Logged(r.URL.Path), "code", string(code))
	}
	g.writeError(w, r, err)
}

// retryAfter is how long a client should wait after a 503.
const retryAfter = time.Second

// writeError answers with an error, if the response has not begun.
func (g *Gateway) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if begun, ok := w.(interface{ Begun() bool }); ok && begun.Begun() {
		return
	}
	code := agui.CodeOf(err)
	status := statusOf(code)
	message := code.Message()
	if coded, ok := errors.AsType[*agui.Error](err); ok {
		message = coded.Public()
	} else if field, ok := errors.AsType[*agui.FieldError](err); ok {
		message = (&agui.Error{Code: code, Err: field}).Public()
	}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	}
	route.Answer(w, status, errorBody(r, code, message))
}

// errorBody returns the body of an error in the form that the route's clients read.
func errorBody(r *http.Request, code agui.Code, message string) any {
	if copilotkit.Owns(r.URL.Path) {
		return copilotkit.ErrorBody(code, message, route.RequestID(r))
	}
	return map[string]any{"error": map[string]string{"code": string(code), "message": message, "requestId": route.RequestID(r)}}
}
