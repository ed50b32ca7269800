package faultsim

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/internal/inprocess"
	"github.com/agui-gateway/gateway/state"
)

var (
	errAway = errors.New("faultsim: the store could not be reached")
	errDead = errors.New("faultsim: the process is dead")
)

// A replica is one process: a gateway, its store and its connections.
type replica struct {
	w    *world
	name string

	gateway *gateway.Gateway
	store   state.Store
	handler http.RoundTripper
	dead    chan struct{} // closed when it is killed: nothing of it has an effect any more
	buried  chan struct{} // closed at the end, so that what hangs in a dead process returns

	mu     sync.Mutex
	frozen chan struct{} // closed when it thaws; nil if it is not frozen
	heard  []func()      // events that came while it was frozen
	open   map[*body]struct{}
}

// start starts a process.
func (w *world) start(name string) *replica {
	r := &replica{w: w, name: name, dead: make(chan struct{}), buried: make(chan struct{}), open: map[*body]struct{}{}}
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("FAULTS_LOG") != "" {
		log = slog.New(slog.NewTextHandler(w.t.Output(), nil)).With("replica", name)
	}
	store, err := w.open(r, log)
	if err != nil {
		w.t.Fatal(err)
	}
	g, err := gateway.New(gateway.Options{
		Agents: w.agents(r), Agent: map[string]gateway.AgentOptions{"desk": {Edits: true, InterruptTTL: forever}, "till": {Edits: true}}, Legacy: "desk",
		Store: store, Shared: true, Log: log, Lease: w.lease, StoreBuffer: 10 * time.Second, RunTimeout: 3 * time.Minute, RunAttempts: 20,
		DetachGrace: 5 * time.Minute, Limits: gateway.Limits{Rate: -1, RateBurst: -1},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	r.gateway, r.store, r.handler = g, store, inprocess.Client(g).Transport
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, r)
	return r
}

// close ends the process at the end of the simulation.
func (r *replica) close() {
	close(r.buried)
	r.thaw()
	r.cut()
	if err := errors.Join(r.gateway.Close(), r.store.Close()); err != nil && r.alive() {
		r.w.problem("%s: Close() = %v", r.name, err)
	}
}

func (r *replica) alive() bool {
	select {
	case <-r.dead:
		return false
	default:
		return true
	}
}

// kill ends the process without a word.
func (r *replica) kill() {
	close(r.dead)
	r.cut()
}

// cut closes all connections.
func (r *replica) cut() {
	r.mu.Lock()
	open := r.open
	r.open = map[*body]struct{}{}
	r.mu.Unlock()
	for b := range open {
		b.cut()
	}
}

// freeze stops the process until it thaws.
func (r *replica) freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frozen == nil {
		r.frozen = make(chan struct{})
	}
}

func (r *replica) thaw() {
	r.mu.Lock()
	heard := r.heard
	if r.frozen != nil {
		close(r.frozen)
	}
	r.frozen, r.heard = nil, nil
	r.mu.Unlock()
	for _, tell := range heard {
		tell()
	}
}

// pass waits while the process is frozen, and for the end if it is dead.
func (r *replica) pass() error {
	for {
		r.mu.Lock()
		frozen := r.frozen
		r.mu.Unlock()
		if !r.alive() {
			<-r.buried
			return errDead
		}
		if frozen == nil {
			return nil
		}
		select {
		case <-frozen:
		case <-r.dead:
		}
	}
}

// hear is the arrival of an event.
func (r *replica) hear(tell func()) {
	r.mu.Lock()
	if r.frozen != nil {
		r.heard = append(r.heard, tell)
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	if r.alive() {
		tell()
	}
}

// sleep waits for a duration or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
