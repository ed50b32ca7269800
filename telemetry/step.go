package telemetry

import (
	"context"
	"regexp"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/agui-gateway/gateway/errcode"
)

// A Step is an operation in progress. Nil does nothing. It is safe for concurrent use.
type Step struct {
	span    trace.Span
	sink    *sink
	metrics *Metrics
	agent   string    // of the run that the step is part of
	began   time.Time // with the monotonic clock, which the record does not have
	content bool

	mu        sync.Mutex // guards what follows
	record    Record
	suspended bool
	ended     bool
}

type stepKey struct{}

// Begin begins a step below the one of ctx. r needs the kind and the name; the step sets its id, parent and times. The
// returned context is for the operation: steps that begin with it are below this one.
func Begin(ctx context.Context, r Record) (context.Context, *Step) { return BeginLinked(ctx, r) }

// BeginLinked is [Begin] for a step with links to steps of other traces.
func BeginLinked(ctx context.Context, r Record, links ...Link) (context.Context, *Step) {
	t := From(ctx)
	s := &Step{metrics: t.metrics, began: time.Now()}
	if r.Kind != KindStore { // stores are of interest to the operator only
		s.sink = sinkOf(ctx)
	}
	if up := Current(ctx); up != nil && up.sink == s.sink {
		r.Parent = up.record.ID // it does not change after Begin
		s.agent = up.agent
	}
	if r.Kind == KindRun {
		s.agent = r.Name
	}
	r.ID, r.Start, r.End = s.sink.newID(), s.began.UnixMilli(), 0
	s.record = r
	ctx, s.span = t.startSpan(ctx, &s.record, links)
	s.content = t.content && s.span.IsRecording()
	s.sink.report(r)
	return context.WithValue(ctx, stepKey{}, s), s
}

// Measure begins a step without a span and a record, which is only measured. It is for frequent operations of a run.
func (t *Telemetry) Measure(_ context.Context, r Record) *Step {
	began := time.Now()
	r.Start = began.UnixMilli()
	return &Step{span: noop.Span{}, metrics: t.metrics, began: began, record: r}
}

// Current is the step that ctx belongs to; nil if there is none.
func Current(ctx context.Context) *Step {
	s, _ := ctx.Value(stepKey{}).(*Step)
	return s
}

// Continue returns ctx with the step of from, for work that outlives from, or began before it.
func Continue(ctx, from context.Context) context.Context {
	ctx = trace.ContextWithSpan(ctx, trace.SpanFromContext(from))
	for _, k := range []any{key{}, sinkKey{}, threadKey{}, stepKey{}} {
		if v := from.Value(k); v != nil {
			ctx = context.WithValue(ctx, k, v)
		}
	}
	return ctx
}

// Update changes the step's record, for example the usage of a model. It does nothing once the step has ended.
func (s *Step) Update(change func(*Record)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		id, parent := s.record.ID, s.record.Parent
		change(&s.record)
		s.record.ID, s.record.Parent = id, parent
	}
}

// Retry notes that what the step does has failed with err and is done again after a pause.
func (s *Step) Retry(err error, pause time.Duration) {
	if s == nil {
		return
	}
	code := codeOf(err)
	s.Update(func(r *Record) { r.Attempt = max(r.Attempt, 1) + 1 })
	if s.span.IsRecording() {
		s.span.AddEvent("retry", trace.WithAttributes(
			attribute.String("error.type", string(code)), attribute.Int64("agui.retry.pause_ms", pause.Milliseconds())))
	}
}

// Suspend ends a step that waits for people or for the client: it has not failed, and another step continues it.
func (s *Step) Suspend() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.suspended = true
	s.mu.Unlock()
	s.End(nil)
}

// End ends the step. Only the code of err is recorded; nil means success. Only the first call counts.
func (s *Step) End(err error) { s.Fail(codeOf(err)) }

// Fail is [Step.End] with a known code; "" means success.
func (s *Step) Fail(code errcode.Code) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	s.record.End = max(s.record.Start, time.Now().UnixMilli())
	if code != "" {
		s.record.Code = code
	}
	protect(func() { s.metrics.measure(s.span, s.record, s.agent, time.Since(s.began), s.suspended) })
	s.endSpan()
	s.sink.report(s.record)
}

// codeOf returns the code of err and recovers from panics: an error type may be defined by an agent.
func codeOf(err error) (code errcode.Code) {
	if err == nil {
		return ""
	}
	code = errcode.Internal
	protect(func() { code = errcode.Of(err) })
	if !code.Known() && !ownCode.MatchString(string(code)) {
		return errcode.Internal
	}
	return code
}

// ownCode matches valid codes of agents: no sentences.
var ownCode = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
