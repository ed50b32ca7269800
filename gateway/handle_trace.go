package gateway

import (
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// A traceDocument is a run as a sequence of steps. Times are in Unix milliseconds.
type traceDocument struct {
	ThreadID  string            `json:"threadId"`
	RunID     string            `json:"runId"`
	Number    int               `json:"number"`
	Agent     string            `json:"agent"`
	Status    state.RunStatus   `json:"status"`
	Code      errcode.Code      `json:"code,omitempty"`
	StartedAt int64             `json:"startedAt"`
	EndedAt   int64             `json:"endedAt,omitempty"`
	Usage     []agui.TokenUsage `json:"usage,omitempty"`
	Cost      *float64          `json:"cost,omitempty"`
	Steps     []traceStep       `json:"steps"`
	// More is set if the run had more spans than its log keeps.
	More bool `json:"more,omitempty"`
}

// showTrace is GET /threads/{id}/runs/{n}/trace.
func (g *Gateway) showTrace(w http.ResponseWriter, r *http.Request) error {
	run, err := g.namedRun(r)
	if err != nil {
		return err
	}
	view := newTraceView()
	var usage []agui.TokenUsage
	for f, err := range g.framesOf(r.Context(), run, state.FrameID{}) {
		if err != nil {
			return err
		}
		view.add(f)
		if frame.Terminal(f) {
			usage = usageOf(f)
		}
	}
	d := traceDocument{
		ThreadID: run.thread.Key.ID, RunID: run.RunID, Number: run.Number, Agent: run.thread.Key.Agent,
		Status: run.Status, Code: run.Code,
		StartedAt: run.StartedAt.UnixMilli(), Usage: usage, Cost: view.cost(), Steps: view.steps, More: view.dropped(),
	}
	if !run.EndedAt.IsZero() {
		d.EndedAt = run.EndedAt.UnixMilli()
		view.close(d.EndedAt)
	} else {
		d.Usage = view.usage()
	}
	if run.Cost != nil {
		d.Cost = run.Cost
	}
	if d.Steps == nil {
		d.Steps = []traceStep{}
	}
	route.Answer(w, http.StatusOK, d)
	return nil
}

// usageOf returns the usage in a run's terminal event.
func usageOf(f state.Frame) []agui.TokenUsage {
	e, err := frame.Decode(f.Data)
	if err != nil {
		return nil // readers of the event report the error
	}
	switch e := e.(type) {
	case *agui.RunFinished:
		return e.Usage
	case *agui.RunError:
		return e.Usage
	}
	return nil
}
