package gateway

import (
	"net/http"

	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// attach is GET /threads/{id}/events: become a reader of the thread. With a cursor it sends exactly what
// follows, without one the join prelude first; with follow=1 it stays connected between runs.
func (g *Gateway) attach(w http.ResponseWriter, r *http.Request) error {
	key, _, profile, err := g.threadProfile(r)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		return g.attachHead(w, r, key)
	}
	if err := g.enterReader(key); err != nil {
		return err
	}
	defer g.leaveReader(key)
	t, _, err := g.store.Load(r.Context(), key)
	if err != nil {
		return route.StoreError(err)
	}
	reader := &reader{g: g, w: w, req: r, key: key, profile: profile}
	defer reader.endOnPanic()
	return reader.endWithError(reader.attach(t, wantsFollow(r)))
}

// attachHead answers HEAD with the headers of attach. A HEAD reads no events, so it does not affect a run.
func (g *Gateway) attachHead(w http.ResponseWriter, r *http.Request, key state.Key) error {
	t, _, err := g.store.Load(r.Context(), key)
	if err != nil {
		return route.StoreError(err)
	}
	cursor, known, err := g.cursor(r, t)
	if err != nil {
		return err
	}
	if known && isIdleAt(t, cursor) && !wantsFollow(r) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return nil
}

// wantsFollow reports whether the reader stays connected after a run has ended.
func wantsFollow(r *http.Request) bool { return r.URL.Query().Get("follow") == "1" }

// isIdleAt reports whether t has no live run and its log ends with the frame cursor.
func isIdleAt(t *state.Thread, cursor state.FrameID) bool { return t.Live == nil && cursor == t.Last }

func (r *reader) attach(t *state.Thread, follow bool) error {
	cursor, known, err := r.g.cursor(r.req, t)
	if err != nil {
		return err
	}
	if known && isIdleAt(t, cursor) && !follow {
		r.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	r.g.logThread(r.req, r.key, "attached")
	if t.Live != nil {
		r.untie(t)
	}
	if err := r.open(); err != nil {
		return err
	}
	tail := tailOptions{after: cursor, live: t.Live != nil}
	switch {
	case follow:
		tail.end = endNever
	case known:
		tail.end = endAtIdle // several runs may follow
	}
	if known {
		r.stream.inRun = tail.live
		return r.tail(tail)
	}
	var idle bool
	tail.after, idle, err = r.prelude(t, nil)
	if err != nil || idle && !follow {
		return err
	}
	tail.live = !idle
	return r.tail(tail)
}
