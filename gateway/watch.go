package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/groupchat/host"
	"github.com/agui-gateway/gateway/state"
)

// watch looks after the agent until it has ended, or has to be left behind: it hears what others have to say to this
// run, and stops one that nobody reads.
//
// An agent is told to end by its context. One that does not listen is given StopGrace; then the run ends
// without it, because a stop must not wait for somebody who is deaf. Its goroutine goes on until it returns, and
// what it writes until then is refused.
func (a *attempt) watch(ended <-chan finished) (host.Result, error) {
	idle := time.NewTimer(a.g.o.DetachGrace)
	defer idle.Stop()
	tied := a.thread.Load().Live.Tied
	told := a.ctx.Done()
	var hungUp, patience <-chan time.Time
	for {
		select {
		case f := <-ended:
			return a.judge(f)
		case <-told:
			told, patience = nil, time.After(a.g.o.StopGrace)
		case <-patience:
			a.log.Warn("run: its agent does not end and is left behind")
			return host.Result{}, context.Cause(a.ctx)
		case s := <-a.lease.Signals:
			switch s {
			case state.SignalStop:
				a.cancel(errStopped)
			case state.SignalLost:
				a.cancel(errLeaseLost)
			case state.SignalUntie:
				tied, hungUp = false, nil
			case state.SignalHungUp:
				if tied {
					hungUp = time.After(a.g.o.HangUpGrace)
				}
			}
		case <-hungUp:
			a.cancel(errStopped)
		case <-a.woken:
			if a.g.readers.any(a.lease.Key) {
				idle.Stop()
			} else {
				idle.Reset(a.g.o.DetachGrace)
			}
		case <-idle.C:
			if left := a.readFor(); left > 0 {
				idle.Reset(left)
			} else if !a.g.readers.any(a.lease.Key) {
				a.cancel(errStopped)
			}
		}
	}
}

// readFor is for how long the run may go on without a reader here, because it has one on another replica, or had.
func (a *attempt) readFor() time.Duration {
	if !a.g.o.Shared {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	left, live, err := a.g.store.NoteReader(ctx, a.lease.Key, 0)
	switch {
	case err != nil:
		a.log.Warn("run: not known who reads it", "error", err)
		return storeTimeout
	case !live || left < -a.g.o.DetachGrace:
		return 0
	}
	return left + a.g.o.DetachGrace
}

// judge is what the agent's end means: an agent that was told to end, and did, failed for that reason. One that
// was done before it heard of it is done.
func (a *attempt) judge(f finished) (host.Result, error) {
	if a.ctx.Err() != nil && (f.err != nil || f.result.Pause != nil) {
		if cause := context.Cause(a.ctx); !errors.Is(cause, context.Canceled) {
			return host.Result{}, cause
		}
	}
	return f.result, f.err
}
