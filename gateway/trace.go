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

	mu     sync.Mutex // guards what follows
	begun  bool       // the log has the run's first event
	ended  bool       // it is about to have the last one
	early  []telemetry.Record
	root   string               // the id of the attempt's own step
	open   map[string]traceStep // those that have begun and not ended
	order  []string             // the ids of open steps, as they began
	known  map[string]bool      // the ids of all that the log has
	steps  int
	bytes  int
	missed int // steps that the log does not have
	// names are the names of the participants, by subagentRunId; questions is the number of questions written.
	names     map[string]string
	questions int
}

func newTraceLog(a *attempt) *traceLog {
	return &traceLog{a: a, open: map[string]traceStep{}, known: map[string]bool{}, names: map[string]string{}}
}

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
	l.recall(earlier)
	l.endOpen(errcode.RunMoved)
	for _, r := range l.early {
		l.take(r)
	}
	l.early = nil
	if len(earlier) == 0 {
		l.writeAnswered()
	}
}

// recall reads the steps that the log has already.
func (l *traceLog) recall(frames []state.Frame) {
	for _, f := range frames {
		step, ok := stepOf(f)
		if !ok {
			continue
		}
		l.bytes += len(f.Data)
		if !l.known[step.ID] {
			l.steps++
			l.known[step.ID] = true
		}
		l.track(step)
	}
}

// take writes a record, by the clock that the log has its times from.
func (l *traceLog) take(r telemetry.Record) {
	now := l.a.clock.Now().UnixMilli()
	step, open := l.open[r.ID]
	switch {
	case r.End == 0 && !open: // it begins
		if l.root == "" && r.Kind == telemetry.KindRun {
			l.root = r.ID
		}
		if r.Parent != "" && !l.known[r.Parent] {
			r.Parent = l.root
		}
		r.Start = now
		l.write(traceStep{Record: r})
	case open:
		if r.FirstToken != 0 {
			r.FirstToken = min(now, step.Start+max(0, r.FirstToken-r.Start))
		}
		r.Parent, r.Start, r.End = step.Parent, step.Start, max(now, step.Start)
		l.write(traceStep{Record: r})
	}
}

// write adds a step to the log, unless it would be one too many. The end of one that the log has is always written.
func (l *traceLog) write(s traceStep) {
	if !l.known[s.ID] && (l.steps >= maxTraceSteps || l.bytes >= maxTraceBytes) {
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
	if !l.known[s.ID] {
		l.steps++
		l.known[s.ID] = true
	}
	l.track(s)
}

// track notes whether a step is open. A question is none that the run could end.
func (l *traceLog) track(s traceStep) {
	if s.Kind == telemetry.KindQuestion {
		return
	}
	if s.Kind == telemetry.KindTurn && s.SubagentRunID != "" {
		l.names[s.SubagentRunID] = s.Name
	}
	_, open := l.open[s.ID]
	switch {
	case s.End != 0:
		delete(l.open, s.ID)
		l.order = slices.DeleteFunc(l.order, func(id string) bool { return id == s.ID })
	case !open:
		l.order = append(l.order, s.ID)
		fallthrough
	default:
		l.open[s.ID] = s
	}
}

// endOpen ends the steps that are open, the innermost first.
func (l *traceLog) endOpen(code errcode.Code) {
	now := l.a.clock.Now().UnixMilli()
	for _, id := range slices.Backward(slices.Clone(l.order)) {
		s := l.open[id]
		s.End = max(now, s.Start)
		s.Code = code
		if s.Kind == telemetry.KindRun {
			s.Dropped = l.missed
		}
		l.write(s)
	}
}

// end ends all steps, before the run's last event becomes part of the log.
func (l *traceLog) end(e agui.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun || l.ended {
		return
	}
	code := errcode.Cancelled // for spans that outlive the run
	var run errcode.Code
	switch e := e.(type) {
	case *agui.RunError:
		run = errcode.Code(e.Code)
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeCancelled {
			run = errcode.Cancelled
		} else if e.Outcome != nil {
			l.writeAsked(e.Outcome.Interrupts)
		}
	}
	root, known := l.open[l.root]
	if known {
		l.order = slices.DeleteFunc(l.order, func(id string) bool { return id == l.root })
	}
	l.endOpen(code)
	if known {
		root.End, root.Code, root.Dropped = max(l.a.clock.Now().UnixMilli(), root.Start), run, l.missed
		l.write(root)
	}
	l.ended = true
}
