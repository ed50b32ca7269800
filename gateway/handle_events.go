package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// How much of a run's log one answer has. The bytes are exceeded by one event at most.
const (
	eventsPage  = 500
	eventsMost  = 1000
	eventsBytes = 4 << 20
)

// A pastEvent is an event of a run's log, with the id that streams give it.
type pastEvent struct {
	ID    string          `json:"id"`
	Event json.RawMessage `json:"event"`
}

// showEvents serves GET /threads/{id}/runs/{n}/events: the log of a run in pages, in the form of AG-UI 1.0.
func (g *Gateway) showEvents(w http.ResponseWriter, r *http.Request) error {
	run, err := g.namedRun(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	limit, err := route.Limit(q, eventsPage, eventsMost)
	if err != nil {
		return err
	}
	trace, err := route.Word("trace", q.Get("trace"), "0", "1")
	if err != nil {
		return err
	}
	profile := wire.Profile{Era: agui.Era1, Subagents: true, Trace: trace == "1"}
	var after state.FrameID
	if text := q.Get("after"); text != "" {
		id, ok := parseEventID(text, run.thread.Key)
		if !ok {
			return route.InvalidQuery("after", "is not the id of an event of this thread")
		}
		after = id
	}
	page := struct {
		Events []pastEvent `json:"events"`
		Next   string      `json:"next,omitempty"` // the cursor of the next page
	}{Events: []pastEvent{}}
	past := &reader{g: g, req: r, key: run.thread.Key, profile: profile}
	mark, size := threadMark(run.thread.Key), 0
	for f, err := range g.framesOf(r.Context(), run, after) {
		if err != nil {
			return err
		}
		sent, err := past.project(nil, f)
		if err != nil {
			return runLogError(err)
		}
		if n := len(page.Events); len(sent) > 0 && (n >= limit || size >= eventsBytes) {
			page.Next = page.Events[n-1].ID
			break
		}
		for _, one := range sent {
			page.Events = append(page.Events, pastEvent{ID: eventID(f.ID, mark), Event: one.Data})
			size += len(one.Data)
		}
	}
	route.Answer(w, http.StatusOK, page)
	return nil
}
