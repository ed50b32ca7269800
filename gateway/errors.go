package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
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

// logged is a caller's word as the log has it. A request line may be a megabyte long.
func logged(s string) string {
	const most = 256
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// answerError ends a request with an error, if its response has not begun. Causes go to the log, with the
// request's id; clients get the code's own sentence.
func (g *Gateway) answerError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody is there to be told
	}
	if errors.Is(err, errReaderGone) {
		g.log(r).Debug("reader: gone", "path", logged(r.URL.Path), "error", err)
		return
	}
	code := agui.CodeOf(err)
	status := statusOf(code)
	log := g.log(r)
	if status >= http.StatusInternalServerError {
		log.Error("request: failed", "method", logged(r.Method), "path", logged(r.URL.Path), "code", string(code), "error", err)
	} else {
		log.Info("request: refused", "method", logged(r.Method), "path", logged(r.URL.Path), "code", string(code))
	}
	g.writeError(w, r, err)
}

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
	answer(w, status, errorBody(r, code, message))
}

// answer writes v as the whole response. An error of the connection is nobody's to handle any more.
func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
