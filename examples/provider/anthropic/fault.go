package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/errcode"
)

// A fault is a failed attempt. It has no words of the server's, which may quote a prompt: its type, status and request
// id are what the API's operators ask for, too.
type fault struct {
	code   errcode.Code
	again  bool          // trying again may help
	after  time.Duration // how long the server asks to be left alone
	status int
	kind   string // the API's type of the error
	id     string // the request's
	err    error
}

var (
	errServer = errors.New("anthropic: the server reports an error")
	errCut    = errors.New("anthropic: the reply ended before its end")
	errLarge  = errors.New("anthropic: the reply is too large")
	errNoise  = errors.New("anthropic: what came is no event of the API")
	errFilter = errors.New("anthropic: the reply was withheld")
)

// Error returns the text for the log.
func (f *fault) Error() string {
	text := f.err.Error()
	if f.status != 0 {
		text += ": status " + strconv.Itoa(f.status)
	}
	if f.kind != "" {
		text += ": " + f.kind
	}
	if f.id != "" {
		text += ": request " + f.id
	}
	return text
}

// Unwrap returns the cause.
func (f *fault) Unwrap() error { return f.err }

// coded is the fault as a run ends with it.
func (f *fault) coded(name string) error {
	return &errcode.Error{Code: f.code, Err: fmt.Errorf("%s: %w", name, f)}
}

// maxWait is the most that is waited between two tries.
const maxWait = 30 * time.Second

// wait is how long to wait before try n+1, and whether there should be one.
func (f *fault) wait(n int) (time.Duration, bool) {
	if !f.again || f.after > maxWait {
		return 0, false
	}
	if f.after > 0 {
		return f.after, true
	}
	return jitter(min(500*time.Millisecond<<min(n, 6), 8*time.Second)), true
}

// faultOf returns err as a fault; any other error is one of the connection.
func faultOf(ctx context.Context, err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if ctx.Err() != nil {
		return &fault{code: errcode.ModelUnavailable, err: context.Cause(ctx)}
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the URL, which may hold a password
	}
	return &fault{code: errcode.ModelUnavailable, again: true, err: err}
}

// kinds are the API's types of errors: which code they have here, and whether trying again may help.
var kinds = map[string]struct {
	code  errcode.Code
	again bool
}{
	"invalid_request_error": {errcode.ModelRequest, false},
	"not_found_error":       {errcode.ModelRequest, false},
	"request_too_large":     {errcode.ModelContextLength, false},
	"authentication_error":  {errcode.ModelAuth, false},
	"permission_error":      {errcode.ModelAuth, false},
	"billing_error":         {errcode.ModelUnavailable, false},
	"rate_limit_error":      {errcode.ModelUnavailable, true},
	"api_error":             {errcode.ModelUnavailable, true},
	"timeout_error":         {errcode.ModelUnavailable, true},
	"overloaded_error":      {errcode.ModelUnavailable, true}, // with status 529
}

// typed is the fault of an error that the server names, or of a status alone.
func typed(kind string, status int) *fault {
	f := &fault{status: status, err: errServer}
	if known, ok := kinds[kind]; ok {
		f.kind, f.code, f.again = kind, known.code, known.again
		return f
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.code = errcode.ModelAuth
	case status == http.StatusRequestEntityTooLarge:
		f.code = errcode.ModelContextLength
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooManyRequests ||
		status >= 500 || status == 0:
		f.code, f.again = errcode.ModelUnavailable, true
	default:
		f.code = errcode.ModelRequest
	}
	return f
}

// statusFault is what an answer other than 200 means.
func statusFault(response *http.Response) *fault {
	const most = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(response.Body, most)) // a part is enough, besides the status
	var said struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &said) // likewise
	f := typed(said.Error.Type, response.StatusCode)
	if id := response.Header.Get("Request-Id"); len(id) < 64 && !strings.ContainsAny(id, " \t") {
		f.id = id
	}
	if s, err := strconv.ParseFloat(response.Header.Get("Retry-After"), 64); err == nil && s > 0 && s < 1e6 {
		f.after = time.Duration(s * float64(time.Second))
	}
	return f
}
