package gateway

import (
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// customTrace is the name of the CUSTOM event with a trace span for readers that ask for them. Its value is the span.
const customTrace = "gateway.trace"

// Bounds of the spans in a run's log, over all attempts. Further ones are dropped, and the trace reports that.
const (
	maxTraceSteps = 1000
	maxTraceBytes = 512 << 10
)

// A traceStep is a span of a run in its public form.
type traceStep struct {
	telemetry.Record
	// Dropped is the number of spans that were left out; only the span of kind run has it.
	Dropped int `json:"dropped,omitempty"`
}

// A traceLog writes an attempt's spans to the log of its run, between the run's first event and its last: each when it
// begins and when it has ended. It never blocks, and its failures do not affect the run. It is safe for concurrent use.
type traceLog struct {
	a *attempt

	mu        sync.Mutex // guards what follows
	begun     bool       // the log has the run's first event
	ended     bool       // it is about to have the last one
	early     []telemetry.Record
	root      string    // the id of the attempt's own step
	view      traceView // the steps that the log has
	bytes     int
	missed    int // steps that the log does not have
	questions int // written by this attempt
}

func newTraceLog(a *attempt) *traceLog { return &traceLog{a: a, view: newTraceView()} }

// note takes a record of telemetry's.
func (l *traceLog) note(r telemetry.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ended:
	case l.begun:
		l.take(r)
	case len(l.early) < maxTraceSteps:
		l.early = append(l.early, r)
	}
}

// begin starts writing, after the run's first event. It ends the open spans of earlier attempts.
func (l *traceLog) begin(earlier []state.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		return
	}
	l.begun = true
	for _, f := range earlier {
		if l.view.add(f) {
			l.bytes += len(f.Data)
		}
	}
	l.endOpen(errcode.RunMoved)
	for _, r := range l.early {
		l.take(r)
	}
	l.early = nil
	if len(earlier) == 0 {
		l.writeAnswered()
	}
}

// take writes a record, by the clock that the log has its times from.
func (l *traceLog) take(r telemetry.Record) {
	now := l.a.clock.Now().UnixMilli()
	step := l.view.find(r.ID)
	switch {
	case r.End == 0 && step == nil: // it begins
		if l.root == "" && r.Kind == telemetry.KindRun {
			l.root = r.ID
		}
		if r.Parent != "" && l.view.find(r.Parent) == nil {
			r.Parent = l.root
		}
		r.Start = now
		l.write(traceStep{Record: r})
	case step != nil && step.open():
		if r.FirstToken != 0 {
			r.FirstToken = min(now, step.Start+max(0, r.FirstToken-r.Start))
		}
		r.Parent, r.Start, r.End = step.Parent, step.Start, max(now, step.Start)
		l.write(traceStep{Record: r})
	}
}

// write adds a step to the log, unless it would be one too many. The end of one that the log has is always written.
func (l *traceLog) write(s traceStep) {
	if l.view.find(s.ID) == nil && (len(l.view.steps) >= maxTraceSteps || l.bytes >= maxTraceBytes) {
		l.missed++
		return
	}
	value, err := agui.Marshal(s)
	if err != nil {
		return
	}
	data, err := agui.Encode(&agui.Custom{Name: customTrace, Value: value})
	if err != nil || l.a.rec.Add(state.Frame{Type: state.TypeTrace, Data: data}) != nil {
		return // the run has another way to learn that its log cannot be written
	}
	l.bytes += len(data)
	l.view.put(s)
}

// endOpen ends the steps that are open, except the attempt's own, the innermost first.
func (l *traceLog) endOpen(code errcode.Code) {
	for _, s := range slices.Backward(slices.Clone(l.view.steps)) {
		if s.open() && s.ID != l.root {
			l.endStep(s, code)
		}
	}
}

func (l *traceLog) endStep(s traceStep, code errcode.Code) {
	s.End, s.Code = max(l.a.clock.Now().UnixMilli(), s.Start), code
	if s.Kind == telemetry.KindRun {
		s.Dropped = l.missed
	}
	l.write(s)
}

// end ends all steps, before the run's last event becomes part of the log.
func (l *traceLog) end(e agui.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun || l.ended {
		return
	}
	var run errcode.Code
	switch e := e.(type) {
	case *agui.RunError:
		run = errcode.Code(e.Code)
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeCancelled {
			run = errcode.Cancelled
		} else if e.Outcome != nil {
			for _, q := range e.Outcome.Interrupts { // without an end: people answer later, or never
				l.writeQuestion(q, l.a.clock.Now().UnixMilli(), 0, "")
			}
		}
	}
	l.endOpen(errcode.Cancelled) // spans that outlive the run
	if root := l.view.find(l.root); root != nil && root.open() {
		l.endStep(*root, run)
	}
	l.ended = true
}
