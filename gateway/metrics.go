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
	"github.com/agui-gateway/gateway/telemetry"
)

// What is measured of runs and their readers is called here; docs/metrics.md says what each number means. Everything is counted by
// whoever has written it to the store, so that replicas count nothing twice.

// Stats returns what the gateway is busy with now.
func (g *Gateway) Stats() telemetry.Load {
	g.mu.Lock()
	runs := len(g.attempts)
	g.mu.Unlock()
	return telemetry.Load{
		OpenRuns: runs, OpenReaders: g.readers.count(), QueuedRuns: int(g.queued.Load()), MaxRuns: max(0, g.o.Limits.Runs),
	}
}

// measuredAs is what the runs of an agent are counted as. One that nobody serves any more is known from the store alone.
func measuredAs(agent *served) string {
	if agent.removed {
		return "other"
	}
	return agent.name
}

// measureEnd counts the end of the run, which this attempt has just committed.
func (a *attempt) measureEnd() {
	took := a.clock.Now().Sub(a.intent.StartedAt)
	a.metrics.RunEnded(a.background, a.measuredAs, string(a.ended.Status), a.ended.Code, took)
}

// measureAnswers counts the answers that the run has brought, when they are used up: that happens once, in whichever attempt. A question
// that had expired when the run began was counted when its time was over.
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

// measureAsked counts questions that are stored now, and sees to it that those are counted which expire.
func (a *attempt) measureAsked(tokens []state.Token) {
	a.metrics.Interrupts(a.background, a.measuredAs, telemetry.InterruptOpened, len(tokens))
	for _, t := range tokens {
		// What waits for as long as the question must not hold the run, nor what was asked.
		g, key, agent, id := a.g, a.lease.Key, a.measuredAs, t.Interrupt.ID
		g.deadlines.add(t.ExpiresAt.Sub(a.clock.Now()), func() bool { return g.noteExpired(key, agent, id) })
	}
}

// noteLimit counts what was refused because of err, if a limit was.
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
	case errors.Is(cause, state.ErrTooLarge):
		cause = limit.Reached(limit.State, cause)
	}
	a.g.noteLimit(cause)
}

// The limits that codes are about where the store, or a patch, refuses something.
var (
	limitOfRefusal = map[errcode.Code]limit.Name{errcode.QueueFull: limit.Queue, errcode.TooLarge: limit.Thread}
	limitOfPatch   = map[errcode.Code]limit.Name{errcode.PatchQueueFull: limit.Patches, errcode.TooLarge: limit.Patch}
)

// noteCode counts what was refused with a code, if that is about a limit.
func (g *Gateway) noteCode(limits map[errcode.Code]limit.Name, code errcode.Code) {
	if name, ok := limits[code]; ok {
		g.metrics.Limit(context.Background(), string(name))
	}
}

// A firstWait measures how long whoever has asked for a run waits for what it says. A nil one measures nothing.
type firstWait struct {
	metrics *telemetry.Metrics
	agent   string
	since   time.Time
	event   bool // was sent
}

// sent notes frames that were sent. It returns what is still to be measured.
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
