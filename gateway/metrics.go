package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/telemetry"
)

// Measurements of runs and their readers start here; docs/metrics.md describes the instruments. An event is counted by
// the replica that wrote it to the store, so none is counted twice.

// Stats returns what the gateway is busy with now.
func (g *Gateway) Stats() telemetry.Load {
	g.mu.Lock()
	runs := len(g.attempts)
	g.mu.Unlock()
	return telemetry.Load{
		OpenRuns: runs, OpenReaders: g.readers.count(), QueuedRuns: int(g.queued.Load()),
		MaxRuns: max(0, g.o.Limits.Runs),
	}
}

// measuredAs returns the metric label for runs of an agent. Agents that are not served any more have a common one.
func measuredAs(agent *servedAgent) string {
	if agent.removed {
		return "other"
	}
	return agent.name
}

// measureAnswers counts the answers of the run when a commit consumes them, which happens in one attempt only.
// Questions that had expired when the run began were counted at their expiry.
func (a *attempt) measureAnswers() {
	var answered, cancelled int
	for _, claim := range a.intent.Claims {
		switch {
		case claim.Status == agui.ResumeResolved:
			answered++
			if !claim.AskedAt.IsZero() {
				a.metrics.InterruptWait(a.background, a.measuredAs, a.intent.StartedAt.Sub(claim.AskedAt))
			}
		case !claim.Expired:
			cancelled++
		}
	}
	a.metrics.Interrupts(a.background, a.measuredAs, telemetry.InterruptAnswered, answered)
	a.metrics.Interrupts(a.background, a.measuredAs, telemetry.InterruptCancelled, cancelled)
}

// measureAsked counts questions that are stored now, and schedules counting those that expire.
func (a *attempt) measureAsked(tokens []state.Token) {
	a.metrics.Interrupts(a.background, a.measuredAs, telemetry.InterruptOpened, len(tokens))
	for _, t := range tokens {
		// The callback may wait as long as the question does and must not retain the run or the question.
		g, key, agent, id := a.g, a.lease.Key, a.measuredAs, t.Interrupt.ID
		g.deadlines.add(t.ExpiresAt.Sub(a.clock.Now()), func() bool { return g.noteExpired(key, agent, id) })
	}
}

// noteLimit counts a refusal with err if a limit caused it.
func (g *Gateway) noteLimit(err error) {
	if name, ok := limit.Of(err); ok {
		g.metrics.Limit(context.Background(), string(name))
	}
}

// noteFailure counts a run that fails because it has reached a limit.
func (a *attempt) noteFailure(cause error) {
	switch {
	case errors.Is(cause, run.ErrEventTooLarge):
		cause = limit.Reached(limit.Event, cause)
	case errors.Is(cause, document.ErrTooLarge):
		cause = limit.Reached(limit.State, cause)
	}
	a.g.noteLimit(cause)
}

// The limits that codes are about where the store, or a patch, refuses something.
var (
	limitOfRefusal = map[errcode.Code]limit.Name{errcode.QueueFull: limit.Queue, errcode.TooLarge: limit.Thread}
	limitOfPatch   = map[errcode.Code]limit.Name{errcode.PatchQueueFull: limit.Patches, errcode.TooLarge: limit.Patch}
)

// noteCode counts a refusal with code if a limit caused it.
func (g *Gateway) noteCode(limits map[errcode.Code]limit.Name, code errcode.Code) {
	if name, ok := limits[code]; ok {
		g.metrics.Limit(context.Background(), string(name))
	}
}

// A firstWait measures the time from a request for a run to its first output. A nil firstWait measures nothing.
type firstWait struct {
	metrics *telemetry.Metrics
	agent   string
	since   time.Time
	event   bool // was sent
}

// sent records frames that were sent and returns the remaining measurement, if any.
func (f *firstWait) sent(frames []state.Frame) *firstWait {
	if f == nil {
		return nil
	}
	for _, one := range frames {
		if one.ID.IsZero() {
			continue // not of the run
		}
		if !f.event {
			f.event = true
			f.metrics.FirstEvent(context.Background(), f.agent, time.Since(f.since))
		}
		if one.Type == agui.TypeTextMessageContent {
			f.metrics.FirstText(context.Background(), f.agent, time.Since(f.since))
			return nil
		}
	}
	return f
}
