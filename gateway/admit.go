package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// runAgent is POST /agents/{agent}: a RunAgentInput in, a stream out.
func (g *Gateway) runAgent(w http.ResponseWriter, r *http.Request) error {
	agent, err := g.agent(r.PathValue("agent"))
	if err != nil {
		return err
	}
	return g.run(w, r, agent, agui.Standard)
}

// runLegacy is POST /subgraphs: the same in the dialect of the clients before AG-UI 1.0's interrupts.
func (g *Gateway) runLegacy(w http.ResponseWriter, r *http.Request) error {
	agent, err := g.agent(g.o.Legacy)
	if err != nil {
		return err
	}
	return g.run(w, r, agent, agui.Legacy)
}

func (g *Gateway) run(w http.ResponseWriter, r *http.Request, agent *served, dialect agui.Dialect) error {
	req, err := g.decode(r, agent)
	if err != nil {
		return err
	}
	wire, err := g.wire(r, agent, req.Era, dialect)
	if err != nil {
		return err
	}
	wire.RunID = req.RunID
	disconnect := agent.Disconnect
	if d := Disconnect(r.URL.Query().Get("disconnect")); d != "" {
		disconnect = d
	}
	if disconnect != Cancel && disconnect != Detach {
		return &agui.Error{Code: agui.CodeInvalidInput, Err: &agui.FieldError{Path: "disconnect", Problem: "must be cancel or detach"}}
	}
	req.Tied = disconnect == Cancel
	return g.serve(w, r, agent, req, wire)
}

// serve admits a request and streams what it came to.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, agent *served, req *state.Request, wire agui.Wire) error {
	c := &caller{g: g, w: w, r: r, agent: agent, req: req, wire: wire}
	begun, err := g.admit(r.Context(), c)
	if err != nil {
		return c.failed(err)
	}
	for _, text := range begun.Verdict.Warnings {
		g.log(r).Warn("input: " + text)
	}
	switch v := begun.Verdict; v.Meaning {
	case state.Start, state.Resume, state.Repeat:
		a := g.start(agent, begun)
		return c.follow(begun, a)
	case state.Join:
		return c.join(begun.Thread)
	case state.Refuse:
		return c.refuse(begun)
	case state.Busy:
		return c.busy(agui.CodeRunInProgress)
	default:
		return c.hydrate(begun)
	}
}

// admit asks the store what the request means until it means something final: a run in the way may have
// to end first.
func (g *Gateway) admit(ctx context.Context, c *caller) (*state.Begun, error) {
	queued := false
	defer func() {
		if queued {
			g.leaveQueue(c.req.Key)
		}
	}()
	for {
		if g.draining.Load() {
			return nil, &agui.Error{Code: agui.CodeDraining}
		}
		if g.full() {
			return nil, &agui.Error{Code: agui.CodeOverloaded}
		}
		begun, err := g.store.Begin(ctx, c.req, state.LeaseOptions{Attempt: g.o.NewID(), TTL: g.o.Lease})
		if err != nil {
			return nil, storeError(err)
		}
		switch {
		case begun.Verdict.Meaning == state.Usurp,
			begun.Verdict.Meaning == state.Busy && c.agent.OnBusy == Supersede:
			if _, err := g.store.Signal(ctx, c.req.Key, state.SignalStop); err != nil {
				return nil, storeError(err)
			}
		case begun.Verdict.Meaning == state.Busy && c.agent.OnBusy == Queue:
			if !queued && !g.enterQueue(c.req.Key) {
				return nil, &agui.Error{Code: agui.CodeQueueFull}
			}
			queued = true
			if err := c.open(); err != nil {
				return nil, err
			}
		default:
			return begun, nil
		}
		if err := g.awaitEnd(ctx, c, begun.Thread); err != nil {
			return nil, err
		}
	}
}

// awaitEnd waits until the live run of t has ended, with heartbeats to a caller whose stream is open.
func (g *Gateway) awaitEnd(ctx context.Context, c *caller, t *state.Thread) error {
	stop := c.beat()
	defer stop()
	for batch, err := range g.store.Tail(ctx, t.Key, t.Last) {
		if err != nil {
			return storeError(err)
		}
		for _, f := range batch {
			if terminal(f) {
				return nil
			}
		}
		// The run may have ended before the tail began.
		if now, _, err := g.store.Load(ctx, t.Key); err != nil || now.Live == nil || now.Live.Fence != t.Live.Fence {
			return nil
		}
	}
	return context.Cause(ctx)
}

func (g *Gateway) enterQueue(key state.Key) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if limit := g.o.Limits.Queue; limit > 0 && g.waiting[key] >= limit {
		return false
	}
	g.waiting[key]++
	return true
}

func (g *Gateway) leaveQueue(key state.Key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting[key]--; g.waiting[key] == 0 {
		delete(g.waiting, key)
	}
}

// full reports whether as many runs are live here as may be.
func (g *Gateway) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.o.Limits.Runs > 0 && len(g.attempts) >= g.o.Limits.Runs
}

// storeError gives a store's failure its code: what is not one of its own errors is that it cannot be reached.
func storeError(err error) error {
	switch {
	case errors.Is(err, state.ErrUnknownThread), errors.Is(err, state.ErrUnknownMessage):
		return &agui.Error{Code: agui.CodeNotFound, Err: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		return &agui.Error{Code: agui.CodeStoreUnavailable, Err: err}
	}
}

// A caller is one request with the stream that answers it.
type caller struct {
	g      *Gateway
	w      http.ResponseWriter
	r      *http.Request
	agent  *served
	req    *state.Request // nil for a reader that attached
	wire   agui.Wire
	stream *stream // nil until open
	// watch is the run id a stream without a request of its own goes by.
	watch string
}

// open sends the headers, at once: a client may wait for them with a deadline of its own.
func (c *caller) open() error {
	if c.stream != nil {
		return nil
	}
	s, err := agui.NewStream(c.w, agui.StreamOptions{WriteTimeout: c.g.o.WriteTimeout})
	if err != nil {
		return err
	}
	c.stream = &stream{out: s, every: c.g.o.Heartbeat}
	return c.stream.open()
}

// beat keeps the stream alive while nothing else is sent, until the returned function is called.
func (c *caller) beat() (stop func()) {
	if c.stream == nil {
		return func() {}
	}
	return c.stream.beat()
}

// failed answers a request that failed in admission: as an HTTP error, or inside the stream if that is open.
func (c *caller) failed(err error) error {
	if c.stream == nil && agui.CodeOf(err) != agui.CodeQueueFull {
		return err
	}
	return c.busy(agui.CodeOf(err))
}

// retryAfter is what a client is told to wait after a 503.
const retryAfter = time.Second
