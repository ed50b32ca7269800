package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/redact"
)

// What can be wrong with a model's server, for the log.
var (
	errTimeout  = errors.New("model: the model took too long")
	errIdle     = errors.New("model: the model fell silent")
	errCut      = errors.New("model: the reply ended without a finish reason")
	errFilter   = errors.New("model: the reply was withheld")
	errChunk    = errors.New("model: a chunk of the reply is not one")
	errNameless = errors.New("model: a tool call without a name")
	errLarge    = errors.New("model: the reply is too large")
	errPage     = errors.New("model: the reply is a web page")
	errSays     = errors.New("model: the model's server reports an error")
)

// A fault is a call to a model that came to nothing. Its text is for the log: it holds the URL that was asked and what the
// server said, without keys and prompts.
type fault struct {
	kind   faultKind
	status int           // of HTTP; 0 if there was none
	said   string        // the server's own type, code and parameter
	words  string        // its sentence, which may quote a prompt or a key
	after  time.Duration // how long the server asks to be left alone; -1: it does not say
	err    error

	asked, quoted string // the URL and the sentence, as they may be logged
}

// A faultKind says what a fault means: its code, and whether trying again may help.
type faultKind uint8

const (
	faultAway     faultKind = iota // busy, broken or not there
	faultSpent                     // as away, but for longer than a run lasts
	faultBroken                    // its reply broke off
	faultResponse                  // its reply made no sense
	faultAuth
	faultRequest
	faultFilter
)

func newFault(kind faultKind, err error) error {
	return &fault{kind: kind, after: -1, err: err}
}

// faultOf is err as a fault; what is none happened to the connection. Ctx is the call's.
func faultOf(ctx context.Context, err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &fault{kind: faultAway, after: -1, err: unlocated(err)}
}

// Error says what is known that may be logged.
func (f *fault) Error() string {
	var b strings.Builder
	if f.asked != "" {
		b.WriteString(f.asked + ": ")
	}
	b.WriteString(f.err.Error())
	if f.status != 0 {
		fmt.Fprintf(&b, ": status %d", f.status)
	}
	if f.said != "" {
		b.WriteString(": " + f.said)
	}
	if f.quoted != "" {
		fmt.Fprintf(&b, ": the server said %q", f.quoted)
	}
	return b.String()
}

// Unwrap returns the cause.
func (f *fault) Unwrap() error { return f.err }

// coded is the fault as a run ends with it.
func (f *fault) coded(m *Model) error {
	code := agui.CodeModelUnavailable
	switch f.kind {
	case faultAway, faultSpent:
	case faultBroken, faultResponse:
		code = agui.CodeModelResponse
	case faultAuth:
		code = agui.CodeModelAuth
	case faultRequest:
		code = agui.CodeModelRequest
	case faultFilter:
		code = agui.CodeModelContentFilter
	}
	return &agui.Error{Code: code, Err: fmt.Errorf("%s: %w", m, f)}
}

// The waits between tries, when the server does not say how long: half to all of a time that doubles.
const (
	firstWait = 500 * time.Millisecond
	maxWait   = 8 * time.Second
	// maxServerWait is the most a server may ask for; a run does not wait longer.
	maxServerWait = 30 * time.Second
)

// again reports whether the call may be made again after try, and how long to wait before.
func (f *fault) again(try, retries int) (time.Duration, bool) {
	if try >= retries || f.kind != faultAway && f.kind != faultBroken || errors.Is(f.err, errTimeout) || f.after > maxServerWait {
		return 0, false
	}
	if f.after >= 0 {
		return f.after + rand.N(f.after/10+time.Millisecond), true // not all at the same moment
	}
	wait := min(firstWait<<min(try, 10), maxWait)
	return wait/2 + rand.N(wait/2), true
}

// statusFault is what an answer other than a reply means.
func statusFault(response *http.Response, body []byte) error {
	f := &fault{status: response.StatusCode, after: retryAfter(response.Header), err: errSays}
	f.read(body)
	switch s := response.StatusCode; {
	case f.kind != faultAway: // the body said
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		f.kind = faultAuth
	case s >= 500, s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, s == http.StatusTooEarly, s == http.StatusConflict:
	default:
		f.kind = faultRequest
	}
	return f
}

// errorObject is the fault that a reply, or the middle of one, tells of.
func errorObject(raw json.RawMessage) error {
	f := &fault{after: -1, err: errSays}
	f.read(raw)
	if f.kind == faultAway && f.status >= 400 && f.status < 500 && f.status != http.StatusTooManyRequests {
		f.kind = faultRequest
		if f.status == http.StatusUnauthorized || f.status == http.StatusForbidden {
			f.kind = faultAuth
		}
	}
	return f
}

// read learns from an error, wherever the server puts the words for programs and those for people.
func (f *fault) read(raw json.RawMessage) {
	f.words = redact.Sentence(raw)
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &outer) == nil && jsonPresent(outer.Error) {
		raw = outer.Error
	}
	var e struct {
		Type   json.RawMessage `json:"type"`
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
		Param  json.RawMessage `json:"param"`
	}
	if json.Unmarshal(bytes.TrimSpace(raw), &e) != nil {
		return
	}
	var said []string
	for _, word := range []json.RawMessage{e.Type, e.Code, e.Status, e.Param} {
		if w := jsonText(word); errorWord(w) {
			said = append(said, w)
		}
		if n, ok := jsonCount(word); ok && f.status == 0 && n >= 400 && n < 600 {
			f.status = n
		}
	}
	f.said = strings.Join(said, " ")
	for _, word := range said {
		switch word {
		case "content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation":
			f.kind = faultFilter
		case "insufficient_quota", "billing_hard_limit_reached":
			f.kind = faultSpent
		case "invalid_api_key", "authentication_error", "permission_error":
			f.kind = faultAuth
		case "invalid_request_error", "context_length_exceeded", "model_not_found":
			if f.status < 500 && f.status != http.StatusTooManyRequests && f.kind == faultAway {
				f.kind = faultRequest
			}
		}
	}
	if f.kind == faultRequest && (f.status == http.StatusUnauthorized || f.status == http.StatusForbidden) {
		f.kind = faultAuth // one provider calls a wrong key an invalid request
	}
}

// errorWord reports whether a server's word is one: nothing of a conversation, and no key, looks like it.
func errorWord(s string) bool {
	return s != "" && len(s) <= 48 && !strings.HasPrefix(s, "sk-") && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.[]", r)
	})
}

// retryAfter is how long the server asks to be left alone: milliseconds, seconds or a date; -1 if it does not.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return -1
}

// unlocated is err without the URL it happened at, which may hold a password.
func unlocated(err error) error {
	if located, ok := errors.AsType[*url.Error](err); ok {
		return located.Err
	}
	return err
}
