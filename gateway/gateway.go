package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// A Gateway serves agents. It is an [http.Handler], safe for concurrent use. Close it when done.
type Gateway struct {
	o      Options
	agents map[string]*served
	store  state.Store
	own    bool // the store is the gateway's to close
	routes http.Handler

	draining atomic.Bool
	readers  readerCount

	mu       sync.Mutex
	attempts map[state.Key]*attempt // live here
	waiting  map[state.Key]int      // requests queued per thread
	wg       sync.WaitGroup         // attempts
}

// agentName is what an agent may be called: what every client leaves alone in a URL.
var agentName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// New returns a gateway that serves o.Agents. It reports every mistake of the options and of the agents'
// definitions at once.
func New(o Options) (*Gateway, error) {
	o.fill()
	g := &Gateway{
		o: o, agents: map[string]*served{}, store: o.Store,
		attempts: map[state.Key]*attempt{}, waiting: map[state.Key]int{},
	}
	var errs []error
	for name, agent := range o.Agents {
		if !agentName.MatchString(name) {
			errs = append(errs, fmt.Errorf("gateway: agent %q: a name is letters, digits, '-' and '_'", name))
		}
		if agent == nil {
			errs = append(errs, fmt.Errorf("gateway: agent %q is nil", name))
			continue
		}
		if v, ok := agent.(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				errs = append(errs, fmt.Errorf("gateway: agent %q: %w", name, err))
			}
		}
		g.agents[name] = serve(name, agent, o)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if g.store == nil {
		g.store, g.own = state.NewMemory(state.MemoryOptions{Now: o.Now}), true
	}
	g.routes = g.newRoutes()
	return g, nil
}

// ServeHTTP serves the routes of docs/contract.md.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.routes.ServeHTTP(w, r) }

// names are the agents' names, sorted.
func (g *Gateway) names() []string {
	names := make([]string, 0, len(g.agents))
	for name := range g.agents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Drain takes no new runs and waits for the live ones to end. When ctx is done those that are left end with
// the error draining, and Drain returns once they have.
func (g *Gateway) Drain(ctx context.Context) error {
	g.draining.Store(true)
	done := make(chan struct{})
	go func() {
		g.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	for _, a := range g.live() {
		a.cancel(errDraining)
	}
	<-done
	return ctx.Err()
}

// Close ends the live runs and, if it is the gateway's own, the store.
func (g *Gateway) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// The runs were given no time, so their being cut short is no news.
	_ = g.Drain(ctx)
	if g.own {
		return g.store.Close()
	}
	return nil
}

// live returns the attempts of this replica.
func (g *Gateway) live() []*attempt {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := make([]*attempt, 0, len(g.attempts))
	for _, a := range g.attempts {
		list = append(list, a)
	}
	return list
}

// describe is for GET /agents.
func (s *served) participants() []groupchat.Info { return s.info.Participants }

// log is the logger of a request: every line carries its id.
func (g *Gateway) log(r *http.Request) *slog.Logger {
	return g.o.Log.With("request", requestID(r))
}
