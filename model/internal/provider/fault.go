package provider

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/egress"
)

// What can be wrong with any model's server, for the log.
var (
	errTimeout  = errors.New("model: the model took too long")
	errIdle     = errors.New("model: the model fell silent")
	errCut      = errors.New("model: the reply ended without a finish reason")
	errNameless = errors.New("model: a tool call without a name")
	// ErrLarge is a reply, or a part of one, that is larger than the limits allow.
	ErrLarge = errors.New("model: the reply is too large")
	// ErrSays is an error that the server tells of.
	ErrSays = errors.New("model: the model's server reports an error")
)

// A Fault is a failed attempt. Its text is for the log: it has the URL and the server's message, without keys and
// prompts.
type Fault struct {
	Kind   Kind
	Status int    // of HTTP; 0 if there was none
	Said   string // the server's own type, code and parameter
	Param  string // the member of the request that it objects to, as a path with dots, if it names one
	Words  string // its sentence, which may quote a prompt or a key: the client takes these out
	Err    error
	// Reshaped says that the request has another form now: the call continues at once, and this counts as no retry.
	Reshaped bool

	after         time.Duration // how long the server asks to be left alone, if it says so
	told          bool          // it says so
	asked, quoted string        // the URL and the sentence, as they may be logged
}

// A Kind says what a [Fault] means: its code, and whether trying again may help.
type Kind uint8

// The kinds of faults. The zero value is a server that is busy, broken or not there.
const (
	Away     Kind = iota
	Spent         // as Away, but for longer than a run lasts
	Broken        // the reply broke off
	Response      // the reply made no sense
	Auth          // the key is wrong, or not good for this
	Request       // the server does not take the request
	Filter        // the reply was withheld
	Length        // the conversation is longer than the model takes
)

// NewFault returns a fault that no status came with.
func NewFault(kind Kind, err error) error { return &Fault{Kind: kind, Err: err} }

// StatusFault returns what an answer of a status other than 2xx means as far as its headers say.
func StatusFault(response *http.Response) *Fault {
	f := &Fault{Status: response.StatusCode, Err: ErrSays}
	f.after, f.told = egress.RetryAfter(response.Header)
	return f
}

// KindOfStatus is what a status of HTTP means where the server says no more.
func KindOfStatus(status int) Kind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusPaymentRequired || status == http.StatusForbidden:
		return Auth
	case status == http.StatusNotImplemented:
		return Request
	case status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout,
		status == http.StatusTooEarly,
		status == http.StatusConflict:
		return Away
	default:
		return Request
	}
}

// faultOf returns err as a fault; any other error is one of the connection. Ctx is the attempt's.
func faultOf(ctx context.Context, err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return &Fault{Err: unlocated(reasonOf(ctx, err))}
}

// reasonOf is err, or what made the context end if that came first.
func reasonOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Error returns the text for the log.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.asked != "" {
		b.WriteString(f.asked + ": ")
	}
	b.WriteString(f.Err.Error())
	if f.Status != 0 {
		fmt.Fprintf(&b, ": status %d", f.Status)
	}
	if f.Said != "" {
		b.WriteString(": " + f.Said)
	}
	if f.quoted != "" {
		fmt.Fprintf(&b, ": the server said %q", f.quoted)
	}
	return b.String()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// withCode is the fault of the model called name as a run ends with it.
func (f *Fault) withCode(name string) error {
	code := errcode.ModelUnavailable
	switch f.Kind {
	case Away, Spent:
	case Broken, Response:
		code = errcode.ModelResponse
	case Auth:
		code = errcode.ModelAuth
	case Request:
		code = errcode.ModelRequest
	case Filter:
		code = errcode.ModelContentFilter
	case Length:
		code = errcode.ModelContextLength
	}
	return &errcode.Error{Code: code, Err: fmt.Errorf("%s: %w", name, f)}
}

// The waits between tries, when the server does not say how long: half to all of a time that doubles.
const (
	firstWait = 500 * time.Millisecond
	maxWait   = 8 * time.Second
	// maxServerWait is the most a server may ask for; a run does not wait longer.
	maxServerWait = 30 * time.Second
)

// retryDelay reports whether the call may be made again after try, and how long to wait before.
func (f *Fault) retryDelay(try, retries int) (time.Duration, bool) {
	if try >= retries || f.Kind != Away && f.Kind != Broken || errors.Is(f.Err, errTimeout) || f.after > maxServerWait {
		return 0, false
	}
	if f.told {
		return f.after + rand.N(f.after/10+time.Millisecond), true // not all at the same moment
	}
	wait := min(firstWait<<min(try, 10), maxWait)
	return wait/2 + rand.N(wait/2), true
}

// unlocated is err without the URL it happened at, which may hold a password.
func unlocated(err error) error {
	if located, ok := errors.AsType[*url.Error](err); ok {
		return located.Err
	}
	return err
}

// IsWord reports whether a server's word is one for programs: nothing of a conversation, and no key, looks like it.
func IsWord(s string) bool {
	return s != "" && len(s) <= 48 && !strings.HasPrefix(s, "sk-") &&
		!strings.ContainsFunc(s, func(r rune) bool { return !IsWordRune(r) })
}

// IsWordRune reports whether r is in servers' words for programs.
func IsWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.[]", r)
}
