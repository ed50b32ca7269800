package groupchat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/internal/wait"
	"github.com/agui-gateway/gateway/state/document"
)

// fail returns an error with the code that its run ends with. A format that begins with a turn's path drops that of a
// root agent, which is empty.
func fail(code errcode.Code, format string, args ...any) error {
	if rest, ok := strings.CutPrefix(format, "%s: "); ok && len(args) > 0 && args[0] == "" {
		format, args = rest, args[1:]
	}
	return &errcode.Error{Code: code, Err: fmt.Errorf("groupchat: "+format, args...)}
}

// coded gives an agent's error a code, unless it brings one.
func coded(err error) error {
	if _, ok := errors.AsType[*errcode.Error](err); ok || err == nil {
		return err
	}
	code := errcode.AgentFailed
	if errors.Is(err, document.ErrTooLarge) || errors.Is(err, run.ErrEventTooLarge) {
		code = errcode.TooLarge
	}
	return &errcode.Error{Code: code, Err: err}
}

// onlyCancelled reports whether err says nothing but that a person cancelled a question.
func onlyCancelled(err error) bool {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here: another failure beside it counts
	case interface{ Unwrap() error }:
		return onlyCancelled(e.Unwrap())
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(inner error) bool { return !onlyCancelled(inner) })
	default:
		return err == ask.ErrCancelled //nolint:errorlint // unwrapped
	}
}

// A pathError is a failure of the turn at Path, or of an action in its name.
type pathError struct {
	Path string
	Err  error
}

// Error names the turn, for the log.
func (e *pathError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the failure.
func (e *pathError) Unwrap() error { return e.Err }

// at adds to err the path of the turn that failed, unless err has one.
func at(path string, err error) error {
	if _, ok := errors.AsType[*pathError](err); ok || err == nil {
		return err
	}
	return &pathError{path, err}
}

// A PanicError is a panic of an agent's code. Its value may hold anything and is for the log only.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the panic's value.
func (p *PanicError) Error() string { return fmt.Sprintf("groupchat: panic: %v", p.Value) }

// protect turns a panic of f into an error. The methods of the error that f returns are the agent's code too: one that
// panics in its Error method counts as a panic of f, so that later callers are safe.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &errcode.Error{Code: errcode.AgentFailed, Err: &PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	err = f()
	_ = errors.Is(err, errNone) // looks at every cause
	return err
}

// errNone is the cause of no error.
var errNone = errors.New("groupchat: none")

// verdict is the error of a turn with the errs of its goroutines: the first failure, or else all pauses joined, in the
// order in which their goroutines were started, so that the questions have the same order every time. A turn that has
// failed asks nothing.
func verdict(errs []returnedError) error {
	for _, e := range errs {
		if ask.PauseOf(e.err) == nil {
			return coded(e.err)
		}
	}
	slices.SortFunc(errs, func(a, b returnedError) int { return cmp.Compare(a.n, b.n) })
	var pauses []*ask.Pause
	for _, e := range errs {
		pauses = append(pauses, ask.PauseOf(e.err))
	}
	if p := ask.Join(pauses...); p != nil {
		return p
	}
	return nil
}

// An ErrorPolicy says what a participant's failure means for the chat. The zero value fails the run.
type ErrorPolicy struct {
	// Retries is how often the turn is tried again first. Its records stay: earlier messages, questions and effects are
	// not repeated, only what failed is.
	Retries int
	// Backoff is how long the first retry waits at most; it waits at least half as long. Each further one waits twice
	// as long, up to 30 seconds. 0 means 500ms; a negative one does not wait.
	Backoff time.Duration
	// RetryIf says after which failures; nil means [Retryable]. It may be asked twice about one.
	RetryIf func(err error) bool
	// Skip continues without the participant; the supervisor chooses again.
	Skip bool
}

// The waits of retries.
const (
	firstBackoff = 500 * time.Millisecond
	mostBackoff  = 30 * time.Second
)

// Retryable reports whether a turn that failed with err may succeed the next time. It cannot after a panic, a write
// that is forbidden or too large, credentials or a request that a server refused, a circle of remote agents, an
// internal error, a mistake in the definition of the team, or what a hook, a budget or a contract does not allow.
func Retryable(err error) bool {
	if _, ok := errors.AsType[*PanicError](err); ok || errors.Is(err, document.ErrForbidden) {
		return false
	}
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status >= 400 && refused.Status < 500 {
		switch refused.Status {
		case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		default:
			return false
		}
	}
	switch errcode.Of(coded(err)) {
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

// again reports whether the turn of f is to be tried again, which has failed with err after that many tries before.
func (p ErrorPolicy) again(tries int, err error) bool {
	if tries >= p.Retries {
		return false
	}
	if p.RetryIf != nil {
		return p.RetryIf(err)
	}
	return Retryable(err)
}

// wait lets the time pass before the nth retry, from 1. It reports whether the context lasted so long.
func (p ErrorPolicy) wait(ctx context.Context, n int) bool {
	first := p.Backoff
	if first == 0 {
		first = firstBackoff
	}
	if first < 0 {
		return ctx.Err() == nil
	}
	pause := min(first, mostBackoff)
	for ; n > 1 && pause < mostBackoff; n-- {
		pause = min(2*pause, mostBackoff)
	}
	return wait.For(ctx, pause/2+rand.N(pause/2+1)) == nil // not all at the same moment
}

// ModelFailed reports whether err is the failure of a model, without which an agent may know what to do, and not a
// hook's refusal, a budget's, or the end of the run.
func ModelFailed(err error) bool {
	switch errcode.Of(err) {
	case errcode.ModelUnavailable, errcode.ModelAuth, errcode.ModelRequest, errcode.ModelResponse,
		errcode.ModelContentFilter, errcode.ModelContextLength:
		return true
	default:
		return false
	}
}
