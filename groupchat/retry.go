package groupchat

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// An ErrorPolicy says what a participant's failure means for the chat. The zero value fails the run.
type ErrorPolicy struct {
	// Retries is how often the turn is tried again first. It goes on with what it recorded: what it said, asked and did once is
	// not repeated, only what failed is.
	Retries int
	// Backoff is how long the first retry waits, or half of it up to that; each further one waits twice as long, up to 30 seconds. 0
	// means 500ms; a negative one does not wait.
	Backoff time.Duration
	// RetryIf says after which failures; nil means [Retryable]. It may be asked twice about one.
	RetryIf func(err error) bool
	// Skip goes on without the participant; the supervisor chooses again.
	Skip bool
}

// The waits of retries.
const (
	firstBackoff = 500 * time.Millisecond
	mostBackoff  = 30 * time.Second
)

// Retryable reports whether a turn that failed with err may come to something else the next time. It may not after a panic, a write
// that is forbidden or too large, credentials or a request that a server refused, a circle of remote agents, and what is a
// defect or a mistake in the definition of the team.
func Retryable(err error) bool {
	if _, ok := errors.AsType[*PanicError](err); ok || errors.Is(err, state.ErrForbidden) {
		return false
	}
	if refused, ok := errors.AsType[*agui.ClientError](err); ok && refused.Status >= 400 && refused.Status < 500 {
		switch refused.Status {
		case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		default:
			return false
		}
	}
	switch agui.CodeOf(coded(err)) {
	case agui.CodeModelAuth, agui.CodeModelRequest, agui.CodeForbidden, agui.CodeUnauthorized, agui.CodeTooLarge, agui.CodeInternal,
		agui.CodeRemoteLoop, agui.CodeNoRoute, agui.CodeCheckpointIncompatible:
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
	wait := min(first, mostBackoff)
	for ; n > 1 && wait < mostBackoff; n-- {
		wait = min(2*wait, mostBackoff)
	}
	return sleep(ctx, wait/2+rand.N(wait/2+1)) == nil // not all at the same moment
}
