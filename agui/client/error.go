package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/exact"
)

// A Fault is the reason why a [Client] got no usable response.
type Fault string

// The faults of an answer.
const (
	FaultUnreachable Fault = "unreachable" // no answer began
	FaultStatus      Fault = "status"      // not an event stream; see Status
	FaultTimeout     Fault = "timeout"     // no byte for Idle, or longer than Timeout
	FaultCut         Fault = "cut"         // it ended before its run did
	FaultTooLarge    Fault = "too_large"   // it went over a limit
	FaultInvalid     Fault = "invalid"     // an event is malformed, or out of order
)

// An Error describes an unusable response. Its text is for logs: it has no URL, no header, and no server's text but a
// code.
type Error struct {
	Fault Fault
	// Status is the HTTP status of FaultStatus.
	Status int
	// Code is the server's error code, if its response has one in JSON.
	Code string
	// Message is the server's text, for people. It may quote a conversation, and is not in the error's text.
	Message string
	// RetryAfter is the delay that the server asked for; 0 without one.
	RetryAfter time.Duration
	// Hint describes the kind of server that probably answers at the URL; may be empty.
	Hint string
	// Err is the cause; may be nil.
	Err error
}

// Error returns fault, status, code, cause and hint.
func (e *Error) Error() string {
	text := "client: " + string(e.Fault)
	if e.Status != 0 {
		text += " " + strconv.Itoa(e.Status)
	}
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reasons for cutting a response short here, as causes of its context.
var (
	errConnect  = errors.New("no answer began in time")
	errSilent   = errors.New("silent for too long")
	errTotal    = errors.New("took too long")
	errLingered = errors.New("the run is over")
	errBytes    = errors.New("too many bytes")
	errEvents   = errors.New("too many events")
	errNoEnd    = errors.New("no terminal event")
)

// classify maps a transport error to an *Error. If the caller's ctx is done, it returns the cause unchanged.
func classify(ctx, reqCtx context.Context, fault Fault, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch cause := context.Cause(reqCtx); {
	case errors.Is(cause, errConnect):
		return &Error{Fault: FaultUnreachable, Err: cause}
	case errors.Is(cause, errSilent), errors.Is(cause, errTotal):
		return &Error{Fault: FaultTimeout, Err: cause}
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // the outer error quotes the URL
	}
	return &Error{Fault: fault, Err: err}
}

// refusal reads an answer that is no stream.
func refusal(r *http.Response) *Error {
	const longest = 24 * time.Hour
	delay, _ := egress.RetryAfter(r.Header)
	e := &Error{Fault: FaultStatus, Status: r.StatusCode, RetryAfter: min(delay, longest)}
	const enough = 64 << 10
	data, err := io.ReadAll(io.LimitReader(r.Body, enough))
	if err != nil {
		return e
	}
	e.Code, e.Message = complaint(data)
	if e.Message == "" {
		e.Message = string(data) // other text
	}
	if r.StatusCode == http.StatusOK {
		e.Err = errNoStream
	}
	return e
}

var codeName = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// complaint finds code and message in the JSON that servers answer errors with: {"error": {"code", "message"}},
// {"error": "code", "message"}, {"code", "message"} or {"detail": "message"}.
func complaint(data []byte) (code, message string) {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if exact.Unmarshal(data, &body) != nil {
		return "", ""
	}
	var inner struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
	}
	if exact.Unmarshal(body.Error, &inner) != nil {
		inner.Code = body.Error
	}
	for _, raw := range []json.RawMessage{inner.Code, body.Code} {
		if s := textOf(raw); code == "" && codeName.MatchString(s) {
			code = s
		}
	}
	for _, raw := range []json.RawMessage{inner.Message, body.Message, body.Detail} {
		if s := textOf(raw); message == "" {
			message = s
		}
	}
	return code, message
}

func textOf(raw json.RawMessage) string {
	var s string
	_ = exact.Unmarshal(raw, &s) // a value that is no string is ignored
	return s
}

// CodeName returns code if it is safe for a log: short, and only letters, digits and some punctuation.
func CodeName(code string) string {
	if codeName.MatchString(code) {
		return code
	}
	return fmt.Sprintf("a code of %d bytes", len(code))
}
