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
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/host"
	"github.com/agui-gateway/gateway/state"
)

// Why a run's context is done, as [context.Cause] says.
var (
	errStopped   = errors.New("gateway: stopped")
	errDraining  = errors.New("gateway: draining")
	errTimeout   = errors.New("gateway: run timeout")
	errLeaseLost = fmt.Errorf("gateway: lease lost: %w", groupchat.ErrMoved)
	errStoreGone = errors.New("gateway: the store is gone")
)

// errHandedOver is errDraining where another replica goes on with the run.
var errHandedOver = fmt.Errorf("%w: %w", errDraining, groupchat.ErrMoved)

// drained is why a run ends with this replica.
func (g *Gateway) drained() error {
	if g.o.Shared {
		return errHandedOver
	}
	return errDraining
}

// An attempt is one go of this replica at a run: it owns the thread's lease until the run ends. Its work is
// done by three goroutines: the agent's, the recorder's, and its own, which watches over the agent and then
// brings the run to its end.
type attempt struct {
	g      *Gateway
	agent  *served
	lease  *state.Lease
	term   *term // of the lease
	clock  storeClock
	intent state.Intent
	log    *slog.Logger
	header http.Header // of the request, what the agent passes on; nil if the request is not here

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the lease is given back

	ids *minter
	rec *recorder
	run *run.Run // replaced when the agent has to let go of it
	doc *state.Document
	// ending goes with the terminal frame.
	ending *state.Ending

	// unread says that the run's log could not be read, or not be gone on with.
	unread bool

	// usage is what the run's models used, earlier attempts included.
	usage host.Usage

	// thread is as of the last commit.
	thread atomic.Pointer[state.Thread]

	keep sync.Mutex // held for a commit; guards what follows
	// settled says that a commit has used up the answers this run brought; until then effects are what was recorded.
	settled bool
	effects map[string]json.RawMessage
	// over says that the run is being ended: an agent left behind commits nothing more.
	over bool
	// committed and differed are the revisions of doc at the last commit and at the last look at what differs from it.
	committed, differed int
	// state is what the run leaves behind, if it differs; a run that fails leaves what was committed.
	state json.RawMessage
	ended *state.End

	woken chan struct{} // a reader came or went

	successor *slot // inherits the run's slot when it has ended; guarded by g.mu
}

// live is the attempt from its first event to the release of the lease. A panic fails the run like an error. If even
// its end panics the run is given up, for another attempt to end it.
func (a *attempt) live() {
	defer a.gone()
	a.rec = newRecorder(a.g.giveUp, a.g.store, a.lease, a.g.o.StoreBuffer, a.fatal, a.g.away)
	go a.rec.loop()
	defer a.rec.stop()
	defer a.keepLease()()
	var result host.Result
	err := protect(func() (err error) {
		if err := a.enter(); err != nil {
			return err
		}
		result, err = a.watch(a.launch())
		return err
	})
	if err := protect(func() error { a.end(result, err); return nil }); err != nil {
		a.surrender(err)
	}
}

// gone takes the attempt off the books, and frees its place.
func (a *attempt) gone() {
	a.cancel(nil)
	a.g.mu.Lock()
	if a.g.attempts[a.lease.Key] == a {
		delete(a.g.attempts, a.lease.Key)
	}
	a.g.mu.Unlock()
	a.g.chains.leave(a.intent.Chain)
	a.g.dismiss(a.agent)
	a.releaseSlot()
	close(a.done)
}

// fatal ends the attempt when the log cannot be written.
func (a *attempt) fatal(err error) {
	if errors.Is(err, state.ErrLeaseLost) {
		a.cancel(errLeaseLost)
		return
	}
	withCause(a.log, err).Error("run: store")
	if errors.Is(err, state.ErrDamaged) {
		a.cancel(errLeaseLost) // its readers are told by the store
		return
	}
	a.cancel(errStoreGone)
}

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

// wake tells watch that a reader came or went.
func (a *attempt) wake() {
	select {
	case a.woken <- struct{}{}:
	default: // it has not looked since the last one
	}
}
