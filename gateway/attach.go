package gateway

import (
	"fmt"
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// attach is GET /threads/{id}/events: become a reader of the thread. With a cursor it sends exactly what
// follows, without one the join prelude first; with follow=1 it stays over runs.
func (g *Gateway) attach(w http.ResponseWriter, r *http.Request) error {
	key, err := g.thread(r)
	if err != nil {
		return err
	}
	agent, err := g.agent(key.Agent)
	if err != nil {
		return err
	}
	era, err := agui.EraOf(r.URL.Query().Get("protocolVersion"))
	if err != nil {
		return err
	}
	wire, err := g.wire(r, agent, era, agui.Standard)
	if err != nil {
		return err
	}
	if !g.readers.enter(key, g.o.Limits.Readers) {
		return &agui.Error{Code: agui.CodeOverloaded, Err: fmt.Errorf("gateway: more than %d readers", g.o.Limits.Readers)}
	}
	defer g.readers.leave(key)
	t, _, err := g.store.Load(r.Context(), key)
	if err != nil {
		return storeError(err)
	}
	c := &caller{g: g, w: w, r: r, agent: agent, wire: wire}
	return c.attach(t, r.URL.Query().Get("follow") == "1")
}

func (c *caller) attach(t *state.Thread, follow bool) error {
	cursor, known, err := c.cursor(t)
	if err != nil {
		return err
	}
	if known && cursor == t.Last && t.Live == nil && !follow {
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	defer c.attached(t)()
	if err := c.open(); err != nil {
		return err
	}
	end := endAtIdle
	if follow {
		end = endNever
	}
	if known {
		return c.tail(tailing{key: t.Key, after: cursor, end: end})
	}
	after, ended := t.Last, true
	if t.Live != nil {
		after, ended, err = c.prelude(t, nil)
	} else {
		err = c.showThread(t.Key, shown{})
	}
	if err != nil || ended && !follow {
		return err
	}
	return c.tail(tailing{key: t.Key, after: after, end: end})
}

// cursor is where the reader left off, and whether the log goes on from there.
func (c *caller) cursor(t *state.Thread) (agui.FrameID, bool, error) {
	header := c.r.Header.Get("Last-Event-ID")
	if header == "" {
		return agui.FrameID{}, false, nil
	}
	id, err := agui.ParseFrameID(header)
	if err != nil {
		return agui.FrameID{}, false, nil // not one of ours: the prelude says where things stand
	}
	if id == t.Last && t.Live == nil {
		return id, true, nil
	}
	holds, err := c.g.store.Holds(c.r.Context(), t.Key, id)
	if err != nil {
		return agui.FrameID{}, false, storeError(err)
	}
	return id, holds, nil
}

// attached unties the live run from its connection and counts the reader; the returned function takes it back.
func (c *caller) attached(t *state.Thread) (leave func()) {
	if t.Live == nil {
		return func() {}
	}
	if _, err := c.g.store.Signal(c.r.Context(), t.Key, state.SignalUntie); err != nil {
		c.g.log(c.r).Warn("run: not untied", "error", err)
	}
	a := c.g.attempt(t.Key)
	if a == nil {
		return func() {}
	}
	a.enter()
	return a.leave
}
