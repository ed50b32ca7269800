package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// A namedRun is the run that a request names by the id of its thread and its number.
type namedRun struct {
	state.Run
	thread *state.Thread
	next   uint64 // the origin of the next run; 0 for the newest
}

// namedRun finds the run that r names. One that the thread does not remember is like one that never was.
func (g *Gateway) namedRun(r *http.Request) (*namedRun, error) {
	key, err := g.thread(r)
	if err != nil {
		return nil, err
	}
	none := &errcode.Error{Code: errcode.NotFound, Err: state.ErrUnknownThread}
	number, err := strconv.Atoi(r.PathValue("run"))
	if err != nil || strconv.Itoa(number) != r.PathValue("run") {
		return nil, none
	}
	runs, err := g.store.Runs(r.Context(), key)
	if err != nil {
		return nil, route.StoreError(err)
	}
	t, _, err := g.store.Load(r.Context(), key) // after the runs, so that an ended run has its whole log
	if err != nil {
		return nil, route.StoreError(err)
	}
	named := &namedRun{thread: t}
	for _, run := range runs {
		if run.Number == number {
			named.Run = run
			return named, nil
		}
		named.next = run.Origin
	}
	return nil, none
}

// live reports whether the run was going on when it was looked up.
func (n *namedRun) live() bool {
	return n.thread.Live != nil && n.thread.Live.Intent.Origin == n.Origin
}

// runWithInput is a run with its input.
type runWithInput struct {
	ThreadID string `json:"threadId"`
	Agent    string `json:"agent"`
	runDocument
	Input runInput `json:"input"`
}

// runInput is the stored part of a run's request. Inputs other than messages are stored while the run is live.
type runInput struct {
	Messages       json.RawMessage      `json:"messages"`
	Answered       []string             `json:"answered,omitempty"`
	Tools          agui.List[agui.Tool] `json:"tools,omitempty"`
	Context        []agui.Context       `json:"context,omitempty"`
	ForwardedProps json.RawMessage      `json:"forwardedProps,omitempty"`
}

// showRun is GET /threads/{id}/runs/{n}.
func (g *Gateway) showRun(w http.ResponseWriter, r *http.Request) error {
	run, err := g.namedRun(r)
	if err != nil {
		return err
	}
	messages, err := g.store.Messages(r.Context(), run.thread.Key, -1)
	if err != nil {
		return route.StoreError(err)
	}
	d := runWithInput{ThreadID: run.thread.Key.ID, Agent: run.thread.Key.Agent, runDocument: documentOfRun(run.Run)}
	var own state.Conversation
	for _, m := range messages {
		if m.Run == run.Origin && (m.Role == agui.RoleUser || m.Role == agui.RoleSystem ||
			m.Role == agui.RoleDeveloper) {
			own = append(own, m)
		}
	}
	d.Input.Messages = own.JSON()
	if run.live() {
		i := run.thread.Live.Intent
		d.Input.Tools, d.Input.Context, d.Input.ForwardedProps = i.Tools, i.Context, i.ForwardedProps
		for _, q := range i.Questions {
			d.Input.Answered = append(d.Input.Answered, q.ID)
		}
	}
	route.Answer(w, http.StatusOK, d)
	return nil
}
