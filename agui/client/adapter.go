package client

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// errEnough is the error of a run with a reader that wants no more events. [Once] does not pass it on.
var errEnough = errors.New("client: the reader has seen enough")

var errReadTwice = errors.New("client: the answer was read already")

// Once returns the events that run yields, and its error behind them. It can be ranged over once. Clients of other
// protocols use it for their own Run.
func Once(run func(yield func(agui.Event, error) bool) error) iter.Seq2[agui.Event, error] {
	var begun atomic.Bool
	return func(yield func(agui.Event, error) bool) {
		if begun.Swap(true) {
			yield(nil, errReadTwice)
			return
		}
		if err := run(yield); err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// Warn passes a warning to Note, if there is one.
func (r *Request) Warn(path, reason string) {
	if r.Note != nil {
		r.Note(agui.Warning{Path: path, Reason: reason})
	}
}

// stopPatience is the time that a reader waits for the answer to a stop.
const stopPatience = 200 * time.Millisecond

// Cancel has the server stop a run that is not read to its end, by a request that stop makes. It does nothing if ctx is
// done and Leave keeps the run. It does not wait long for the answer: stop continues in the background.
func (r *Request) Cancel(ctx context.Context, stop func(context.Context) error) {
	if ctx.Err() != nil && r.Leave != nil && r.Leave(context.Cause(ctx)) {
		return
	}
	answered := make(chan error, 1)
	go func() {
		out, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlTimeout)
		defer cancel()
		answered <- stop(out)
	}()
	select {
	case err := <-answered:
		if err != nil {
			r.Warn("", "the run could not be stopped")
		}
	case <-time.After(stopPatience):
		r.Warn("", "the stop of the run is not answered yet")
	}
}
