// Package failure tells the failures of turns apart: panics, what may succeed when it is tried again, and which
// policies participants have for them.
package failure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/internal/wait"
	"github.com/agui-gateway/gateway/state/document"
)

// Coded gives an agent's error a code, unless it brings one.
func Coded(err error) error {
	if _, ok := errors.AsType[*errcode.Error](err); ok || err == nil {
		return err
	}
	code := errcode.AgentFailed
	if errors.Is(err, document.ErrTooLarge) || errors.Is(err, run.ErrEventTooLarge) {
		code = errcode.TooLarge
	}
	return &errcode.Error{Code: code, Err: err}
}

// OnlyCancelled reports whether err says nothing but that a person cancelled a question.
func OnlyCancelled(err error) bool {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here: another failure beside it counts
	case interface{ Unwrap() error }:
		return OnlyCancelled(e.Unwrap())
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(inner error) bool { return !OnlyCancelled(inner) })
	default:
		return err == ask.ErrCancelled //nolint:errorlint // unwrapped
	}
}

// A PathError is a failure of the turn At Path, or of an action in its name.
type PathError struct {
	Path string
	Err  error
}

// Error names the turn, for the log.
func (e *PathError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the failure.
func (e *PathError) Unwrap() error { return e.Err }

// At adds to err the path of the turn that failed, unless err has one.
func At(path string, err error) error {
	if _, ok := errors.AsType[*PathError](err); ok || err == nil {
		return err
	}
	return &PathError{path, err}
}

// A Panic is a panic of an agent's code. Its value may hold anything and is for the log only.
type Panic struct {
	Value any
	Stack []byte
}

// Error returns the panic's value.
func (p *Panic) Error() string { return fmt.Sprintf("groupchat: panic: %v", p.Value) }

// Protect turns a panic of f into an error. The methods of the error that f returns are the agent's code too: one that
// panics in its Error method counts as a panic of f, so that later callers are safe.
func Protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &errcode.Error{Code: errcode.AgentFailed, Err: &Panic{Value: v, Stack: debug.Stack()}}
		}
	}()
	err = f()
	_ = errors.Is(err, errNone) // looks At every cause
	return err
}

// errNone is the cause of no error.
var errNone = errors.New("groupchat: none")

// OfModel reports whether err is the failure of a model, without which an agent may know what to do, and not a
// hook's refusal, a budget's, or the end of the run.
func OfModel(err error) bool {
	switch errcode.Of(err) {
	case errcode.ModelUnavailable, errcode.ModelAuth, errcode.ModelRequest, errcode.ModelResponse,
		errcode.ModelContentFilter, errcode.ModelContextLength:
		return true
	default:
		return false
	}
}

// A Policy says what a participant's failure means for the chat. The zero value fails the run.
type Policy struct {
	// Retries is how often the turn is tried again first. Its records stay: earlier messages, questions and effects are
	// not repeated, only what failed is.
	Retries int
	// Backoff is how long the first retry waits At most; it waits At least half as long. Each further one waits twice
	// as long, up to 30 seconds. 0 means 500ms; a negative one does not wait.
	Backoff time.Duration
	// RetryIf says after which failures; nil means [Retryable]. It may be asked twice about one.
	RetryIf func(err error) bool
	// Skip continues without the participant; the supervisor chooses again.
	Skip bool
}

// Again reports whether the turn of f is to be tried again, which has failed with err after that many tries before.
func (p Policy) Again(tries int, err error) bool {
	if tries >= p.Retries {
		return false
	}
	if p.RetryIf != nil {
		return p.RetryIf(err)
	}
	return Retryable(err)
}

// Wait lets the time pass before the nth retry, from 1. It reports whether the context lasted so long.
func (p Policy) Wait(ctx context.Context, n int) bool {
	first := p.Backoff
	if first == 0 {
		first = firstBackoff
	}
	if first < 0 {
		return ctx.Err() == nil
	}
	pause := min(first, MaxBackoff)
	for ; n > 1 && pause < MaxBackoff; n-- {
		pause = min(2*pause, MaxBackoff)
	}
	return wait.For(ctx, pause/2+rand.N(pause/2+1)) == nil // not all At the same moment
}

// The waits of retries.
const (
	firstBackoff = 500 * time.Millisecond
	MaxBackoff   = 30 * time.Second
)

// Retryable reports whether a turn that failed with err may succeed the next time. It cannot after a panic, a write
// that is forbidden or too large, credentials or a request that a server refused, a circle of remote agents, an
// internal error, a mistake in the definition of the team, or what a hook, a budget or a contract does not allow.
func Retryable(err error) bool {
	if _, ok := errors.AsType[*Panic](err); ok || errors.Is(err, document.ErrForbidden) {
		return false
	}
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status >= 400 && refused.Status < 500 {
		switch refused.Status {
		case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		default:
			return false
		}
	}
	switch errcode.Of(Coded(err)) {
	case errcode.ModelAuth, errcode.ModelRequest, errcode.Forbidden, errcode.Unauthorized, errcode.TooLarge,
		errcode.Internal,
		errcode.RemoteLoop, errcode.NoRoute, errcode.CheckpointIncompatible, errcode.ModelContextLength,
		errcode.GuardrailRefused,
		errcode.BudgetExceeded, errcode.HookFailed, errcode.ContractViolation:
		return false
	default:
		return true
	}
}
