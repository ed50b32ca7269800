package gateway

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/internal/webhook"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/telemetry"
)

// A Gateway serves agents. It is an [http.Handler], safe for concurrent use. Close it when done.
type Gateway struct {
	o         Options
	roster    atomic.Pointer[roster] // swapped with mu held
	store     state.Store
	ownsStore bool // the gateway closes the store
	routes    http.Handler
	traced    http.Handler // serves requests with a span for each

	readers   readerCount
	snapshots frame.Cache
	chains    chains
	outage    calls.Outage
	// readiness is the last answer to probes.
	readiness readiness
	webhook   *webhook.Webhook
	limits    limits
	metrics   *telemetry.Metrics
	unwatch   func()       // ends that Stats are observed
	queued    atomic.Int64 // requests that wait
	deadlines deadlines
	leaving   atomic.Bool // clients should send requests elsewhere
	// taking is done when new runs are refused, serving when the last run has ended.
	taking, serving         context.Context
	stopTaking, stopServing context.CancelFunc
	// cutShort is done when live runs have to end; new ones then end at once.
	cutShort context.Context
	cutRuns  context.CancelFunc
	// giveUp is done when runs wait for the store no longer.
	giveUp      context.Context
	abandon     context.CancelFunc
	sweepEnded  chan struct{} // closed when sweep has ended
	notingEnded chan struct{} // closed when noteReaders has ended

	mu       sync.Mutex
	attempts map[state.Key]*attempt // live here
	running  int                    // of slots that are held or occupied
	waiting  []*slot                // waiting while all slots are taken
	// notedOrigins are the refused origins that the log has named.
	notedOrigins []string
	wg           sync.WaitGroup // of those running counts
}

var agentName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// ValidAgentName reports whether an agent can be served under name: letters, digits, '-' and '_', unescaped in URLs.
func ValidAgentName(name string) bool { return agentName.MatchString(name) }

// New returns a gateway that serves o.Agents. Its error lists every mistake in the options and the agents' definitions.
func New(o Options) (*Gateway, error) {
	o.fill()
	g := &Gateway{
		o: o, store: o.Store, attempts: map[state.Key]*attempt{},
	}
	g.metrics = o.Telemetry.Metrics()
	g.limits = newLimits(o)
	g.taking, g.stopTaking = context.WithCancel(context.Background())
	g.serving, g.stopServing = context.WithCancel(context.Background())
	g.cutShort, g.cutRuns = context.WithCancel(context.Background())
	g.giveUp, g.abandon = context.WithCancel(context.Background())
	g.readers.changed = func(key state.Key) {
		if a := g.attempt(key); a != nil {
			a.wake()
		}
		if !g.readers.any(key) {
			g.snapshots.Drop(key)
		}
	}
	r, err := newRoster(o)
	if err := errors.Join(o.Limits.check(), webhook.Check(o.Webhook.URL, o.Webhook.Secret), g.hosts().Validate(),
		err); err != nil {
		return nil, err
	}
	g.roster.Store(r)
	g.metrics.Expect(slices.Collect(maps.Keys(r.agents))...)
	if g.store == nil {
		g.store, g.ownsStore = memstore.New(memstore.Options{Now: o.Now}), true
	}
	if !o.Telemetry.Off() {
		g.store.Observe(observeStore(o.Telemetry))
	}
	g.webhook = webhook.New(webhook.Options{
		URL: o.Webhook.URL, Secret: o.Webhook.Secret, Timeout: o.Webhook.Timeout, Retry: o.Webhook.Retry,
		Client: o.Webhook.Client,
		Store:  g.store, Principals: o.Principal != nil, Lease: o.Lease, Draining: g.taking, Log: o.Log,
		Telemetry: o.Telemetry, Now: o.Now, NewID: o.NewID,
		Attempted: func(outcome string) { g.metrics.Delivery(context.Background(), outcome) },
	})
	g.routes = g.newRoutes()
	g.traced = o.Telemetry.Handler(http.HandlerFunc(g.serveHTTP), traced)
	g.unwatch = g.metrics.WatchLoad(g.Stats)
	g.sweepEnded, g.notingEnded = make(chan struct{}), make(chan struct{})
	go g.sweep()
	go g.noteReaders()
	return g, nil
}

// ServeHTTP serves the routes of docs/reference/routes.md.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.traced.ServeHTTP(w, r) }

func (g *Gateway) serveHTTP(w http.ResponseWriter, r *http.Request) {
	timed := &timedWriter{ResponseWriter: w, control: http.NewResponseController(w), timeout: g.o.WriteTimeout,
		streams: r.ProtoMajor > 1, answers: g.limits.answers}
	edge.Harden(timed.Header(), r)
	defer timed.limit() // of the bytes with which the server ends the response
	g.routes.ServeHTTP(timed, r)
	if timed.expired || timed.noRoom {
		g.logCut(timed, r)
	}
}

// logCut writes down that a response was cut off.
func (g *Gateway) logCut(timed *timedWriter, r *http.Request) {
	log := telemetry.Logger(r.Context(), g.o.Log).With("request", timed.Header().Get(requestIDHeader), "method",
		route.Shorten(r.Method), "path", route.Shorten(r.URL.Path))
	if timed.expired {
		log.Warn("request: cut off, its client takes too long to read", "limit", g.o.WriteTimeout.String())
	}
	if timed.noRoom {
		log.Warn("request: cut off, too much is being written to others")
		g.metrics.Limit(r.Context(), string(limit.Answers))
	}
}

// Leave makes GET /readyz answer with the error draining from now on, while requests are still served. Balancers then
// have time to send requests elsewhere before Drain refuses them.
func (g *Gateway) Leave() { g.leaving.Store(true) }

// Drain refuses new runs and waits for the live ones to end. When ctx is done those that are left end with
// the error draining, and Drain returns once they have: a store that is away then delays it for a few seconds at most.
// The streams of readers that follow a thread over its runs end.
func (g *Gateway) Drain(ctx context.Context) error {
	g.mu.Lock()
	g.stopTaking()
	g.mu.Unlock()
	defer g.stopServing()
	done := make(chan struct{})
	go func() {
		g.wg.Wait()
		<-g.sweepEnded
		g.webhook.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	g.webhook.Cancel()
	g.mu.Lock()
	g.cutRuns()
	for _, a := range g.attempts {
		a.cancel(g.drained())
	}
	g.mu.Unlock()
	defer time.AfterFunc(calls.StoreTimeout, g.abandon).Stop()
	<-done
	return ctx.Err()
}

// Close ends the live runs and, if it is the gateway's own, the store.
func (g *Gateway) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// Drain reports runs that were ended early, which is intended here.
	_ = g.Drain(ctx)
	<-g.notingEnded
	g.deadlines.close()
	g.unwatch()
	g.webhook.Close()
	g.abandon()
	g.outage.NoteAnswer() // no reader is left that an outage would concern
	if g.ownsStore {
		return g.store.Close()
	}
	return nil
}

// draining reports whether new runs are refused.
func (g *Gateway) draining() bool { return g.taking.Err() != nil }

// attempt returns the live attempt of a thread on this replica, or nil.
func (g *Gateway) attempt(key state.Key) *attempt {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.attempts[key]
}

// log returns a request's logger, which adds the request id and the principal to every line.
func (g *Gateway) log(r *http.Request) *slog.Logger {
	return telemetry.Logger(r.Context(), g.logFor(route.Principal(r))).With("request", route.RequestID(r))
}

// logFor returns the logger of a principal. Lines omit the common principal of a gateway without authentication.
func (g *Gateway) logFor(principal string) *slog.Logger {
	if g.o.Principal == nil || principal == "" {
		return g.o.Log
	}
	return g.o.Log.With("principal", principal)
}
