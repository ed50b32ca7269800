package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/recorder"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/internal/lock"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/telemetry"
)

// The causes with which a run's context is cancelled.
var (
	errStopped   = errors.New("gateway: stopped")
	errDraining  = errors.New("gateway: draining")
	errTimeout   = errors.New("gateway: run timeout")
	errLeaseLost = fmt.Errorf("gateway: lease lost: %w", groupchat.ErrMoved)
	errStoreGone = errors.New("gateway: the store is gone")
)

// errHandedOver is errDraining of a run that another replica continues.
var errHandedOver = fmt.Errorf("%w: %w", errDraining, groupchat.ErrMoved)

// drained returns the cause with which this replica ends its runs when it drains.
func (g *Gateway) drained() error {
	if g.o.Shared {
		return errHandedOver
	}
	return errDraining
}

// An attempt is this replica's execution of a run. It owns the thread's lease until the run ends. It has three
// goroutines: the agent's, the recorder's, and one that watches the agent and then ends the run.
type attempt struct {
	g          *Gateway
	agent      *servedAgent
	lease      *state.Lease
	term       *term // the known duration of the lease
	clock      calls.Clock
	intent     state.Intent
	log        *slog.Logger
	metrics    *telemetry.Metrics
	measuredAs string      // what its metrics call the agent
	requested  time.Time   // when the lease was requested
	header     http.Header // those of the request that the agent forwards; nil if the request went to another replica

	ctx        context.Context
	cancel     context.CancelCauseFunc
	background context.Context // is never done, and belongs to the run's step like ctx
	step       *telemetry.Step
	trace      *traceLog     // its steps in the log of the run
	done       chan struct{} // closed when the lease is given back

	ids *minter
	rec *recorder.Recorder
	run *run.Run // replaced when the agent must not write to it any more
	doc *document.Document
	// ending is stored with the terminal frame.
	ending *state.Ending

	// logUnusable is set when the run's log could not be read, or continued by a takeover.
	logUnusable bool

	// usage counts what the run's models used, in earlier attempts too.
	usage groupchat.Usage
	// spent is the number of tokens counted for the principal, here or by earlier attempts.
	spent atomic.Int64

	// notes are those of the agents, as they are now.
	notes history.Notes

	// thread is the thread as of the last commit.
	thread atomic.Pointer[state.Thread]

	committing lock.Lock // held during a commit; guards the fields below
	// meant is the answer that a typed message means.
	meant []state.Answer
	// answersUsed is set when a commit has consumed this run's answers. Until then effects holds effects.
	answersUsed bool
	effects     map[string]json.RawMessage
	// detached is set while the run is being ended: its agent can commit nothing more.
	detached bool
	// committed is the revision of doc at the last commit, compared the one at which it was last compared with that.
	committed, compared int
	// state is the run's final state if it differs from the committed one. A run that fails leaves the committed state.
	state json.RawMessage
	ended *state.End

	// limited are the chats that ended because their turns were used up.
	limitMu sync.Mutex
	limited []string

	woken chan struct{} // receives when a reader has come or left

	successor *slot // inherits the run's slot when it has ended; guarded by g.mu
}

// execute runs the attempt from its first event to the release of the lease. A panic fails the run like an error. If
// ending the run panics too, the attempt gives up and another one ends the run.
func (a *attempt) execute() {
	defer a.unregister()
	defer a.openRecorder()()
	defer a.keepLease()()
	var f *agentResult
	if err := calls.Protect(func() error {
		begin := a.startRun
		if a.intent.Attempts > 1 {
			begin = a.takeOver
		}
		if err := begin(); err != nil {
			return err
		}
		f = a.watch(a.launch())
		return nil
	}); err != nil {
		f = &agentResult{err: err}
	}
	_ = a.spend() // before the end is sent: the next run of a principal over its budget is refused
	if err := calls.Protect(func() error { a.end(f.result, f.err); return nil }); err != nil {
		a.surrender(err)
	}
	a.endStep()
}

func (a *attempt) openRecorder() (stop func()) {
	a.rec = recorder.New(recorder.Options{
		Store: a.g.store, Lease: a.lease, Context: a.background, Patience: a.g.o.StoreBuffer, GiveUp: a.g.giveUp,
		NoteError: a.g.noteStoreError, OnFailure: a.storeFailed, Now: a.clock.Now,
		Wrote: func(events, bytes int) { a.metrics.Logged(a.background, events, bytes) },
	})
	return a.rec.Stop
}

// unregister removes the attempt from the gateway and releases its slot.
func (a *attempt) unregister() {
	a.cancel(nil)
	a.g.mu.Lock()
	if a.g.attempts[a.lease.Key] == a {
		delete(a.g.attempts, a.lease.Key)
	}
	a.g.mu.Unlock()
	a.g.chains.leave(a.intent.Chain)
	a.g.releaseAgent(a.agent)
	a.releaseSlot()
	close(a.done)
}

// storeFailed ends the attempt when the log cannot be written.
func (a *attempt) storeFailed(err error) {
	if errors.Is(err, state.ErrLeaseLost) {
		a.cancel(errLeaseLost)
		return
	}
	calls.WithCause(a.log, err).Error("run: store")
	if errors.Is(err, state.ErrDamaged) || errors.Is(err, state.ErrLater) {
		a.cancel(errLeaseLost) // its readers learn it from the store
		return
	}
	a.cancel(errStoreGone)
}

// watch waits until the agent has ended. Meanwhile it handles the run's signals, and stops a run without readers.
//
// It asks the agent to end by cancelling its context. If the agent has not returned after StopGrace, the run ends
// without it, because a stop must not wait for an agent that ignores its context. The agent's goroutine lasts until it
// returns, and its writes are refused.
func (a *attempt) watch(ended <-chan *agentResult) *agentResult {
	idle := time.NewTimer(a.g.o.DetachGrace)
	defer idle.Stop()
	tied := a.thread.Load().Live.Tied
	cancelled := a.ctx.Done()
	var hungUp, patience <-chan time.Time
	for {
		select {
		case f := <-ended:
			return a.resultOf(f)
		case <-cancelled:
			cancelled, patience = nil, time.After(a.g.o.StopGrace)
		case <-patience:
			a.log.Warn("run: its agent does not end and is left behind")
			return &agentResult{err: context.Cause(a.ctx)}
		case s := <-a.lease.Signals:
			tied, hungUp = a.handleSignal(s, tied, hungUp)
		case <-hungUp:
			a.cancel(errStopped)
		case <-a.woken:
			if a.g.readers.any(a.lease.Key) {
				idle.Stop()
			} else {
				idle.Reset(a.g.o.DetachGrace)
			}
		case <-idle.C:
			a.stopUnread(idle)
		}
	}
}

// stopUnread stops the run, unless it is read elsewhere: then idle is to end later.
func (a *attempt) stopUnread(idle *time.Timer) {
	if left := a.readElsewhereFor(); left > 0 {
		idle.Reset(left)
	} else if !a.g.readers.any(a.lease.Key) {
		a.cancel(errStopped)
	}
}

// handleSignal handles s. tied reports whether a hang-up ends the run; hungUp fires some time after it.
func (a *attempt) handleSignal(s state.Signal, tied bool, hungUp <-chan time.Time) (bool, <-chan time.Time) {
	switch s {
	case state.SignalStop:
		a.cancel(errStopped)
	case state.SignalLost:
		a.cancel(errLeaseLost)
	case state.SignalUntie:
		return false, nil
	case state.SignalHungUp:
		if tied {
			hungUp = time.After(a.g.o.HangUpGrace)
		}
	}
	return tied, hungUp
}

// readElsewhereFor returns how long the run may continue without a reader here because another replica has or had one.
func (a *attempt) readElsewhereFor() time.Duration {
	if !a.g.o.Shared {
		return 0
	}
	ctx, cancel := context.WithTimeout(a.background, calls.StoreTimeout)
	defer cancel()
	left, live, err := a.g.store.NoteReader(ctx, a.lease.Key, 0)
	switch {
	case err != nil:
		a.log.Warn("run: its readers are unknown", "error", err)
		return calls.StoreTimeout
	case !live || left < -a.g.o.DetachGrace:
		return 0
	}
	return left + a.g.o.DetachGrace
}

// resultOf returns the run's result when its agent has ended. An agent that was cancelled and then returned an error or
// paused has failed with the cause of the cancellation. One that finished before it noticed has finished.
func (a *attempt) resultOf(f *agentResult) *agentResult {
	if a.ctx.Err() != nil && (f.err != nil || f.result.Pause != nil) {
		if cause := context.Cause(a.ctx); !errors.Is(cause, context.Canceled) {
			return &agentResult{err: cause}
		}
	}
	return f
}

// wake makes watch check the readers again.
func (a *attempt) wake() {
	select {
	case a.woken <- struct{}{}:
	default: // watch has not received the last one yet
	}
}
