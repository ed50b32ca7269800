package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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

	successor *reservation // gets the run's place when it has ended; guarded by the gateway's lock
}

// start begins the run in a goroutine of its own, with a context of its own. The caller has reserved its place, enlisted
// the agent, and asked the store for the lease at a moment before it had it. Header is that of the request, nil if it
// went to another replica.
func (g *Gateway) start(agent *served, begun *state.Begun, asked time.Time, header http.Header, log *slog.Logger) *attempt {
	ctx, cancel := context.WithCancelCause(context.Background())
	a := &attempt{
		g: g, agent: agent, lease: begun.Lease, term: newTerm(asked.Add(g.o.Lease)), clock: g.clockAt(begun.Now), intent: begun.Thread.Live.Intent,
		log: runLog(log, begun.Lease, &begun.Thread.Live.Intent),
		ctx: ctx, cancel: cancel, done: make(chan struct{}), woken: make(chan struct{}, 1), header: agent.passedOn(header),
		ids: newMinter(g.o.NewID),
	}
	a.thread.Store(begun.Thread)
	a.effects = map[string]json.RawMessage{}
	maps.Copy(a.effects, a.intent.Effects)
	maps.Copy(a.effects, begun.Thread.Live.Memo)
	if a.intent.Attempts > 1 {
		a.usage.Add(host.EarlierUsage(begun.Thread.Checkpoint, begun.Thread.Live.Memo, origin(a.intent))...)
	}
	g.mu.Lock()
	g.attempts[a.lease.Key] = a
	cut := g.cut
	g.mu.Unlock()
	if cut {
		cancel(g.drained())
	}
	a.logStart()
	go a.live()
	return a
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

// enter begins the run, or takes it over.
func (a *attempt) enter() error {
	if a.intent.Attempts == 1 {
		return a.begin()
	}
	return a.takeover()
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
	a.leavePlace()
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

// wake tells watch that a reader came or went.
func (a *attempt) wake() {
	select {
	case a.woken <- struct{}{}:
	default: // it has not looked since the last one
	}
}
