package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/agui-gateway/gateway/errcode"
)

// A Step is work that has begun. Nil does nothing. It is safe for concurrent use.
type Step struct {
	span    trace.Span
	sink    *sink
	metrics *Metrics
	agent   string    // of the run that the step is part of
	began   time.Time // with the monotonic clock, which the record does not have

	mu     sync.Mutex // guards what follows
	record Record
	ended  bool
}

type stepKey struct{}

// Begin begins a step that is part of the one that ctx belongs to. Of r the kind and the name are needed; its id, parent and
// times are the step's to fill. The context returned is for the work: steps that begin with it are parts of this one.
func Begin(ctx context.Context, r Record) (context.Context, *Step) {
	t := From(ctx)
	s := &Step{sink: sinkOf(ctx), metrics: t.metrics, began: time.Now()}
	if up, ok := ctx.Value(stepKey{}).(*Step); ok && up.sink == s.sink {
		r.Parent = up.record.ID // it does not change after Begin
		s.agent = up.agent
	}
	if r.Kind == KindRun {
		s.agent = r.Name
	}
	r.ID, r.Start, r.End = s.sink.newID(), s.began.UnixMilli(), 0
	s.record = r
	ctx, s.span = t.tracer.Start(ctx, spanName(r))
	s.sink.told(r)
	return context.WithValue(ctx, stepKey{}, s), s
}

// Update changes what is known of the step by now, such as what a model used. It does nothing once the step has ended.
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

// End ends the step. Of err only the code is told, nil means that it worked. Only the first call counts.
func (s *Step) End(err error) {
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
	if err != nil {
		s.record.Code = errcode.Of(err)
	}
	s.metrics.measure(s.span, s.record, s.agent, time.Since(s.began), false)
	endSpan(s.span, s.record)
	s.sink.told(s.record)
}
