package telemetry

import (
	"context"
	"strconv"
	"sync/atomic"
)

// A sink gets the records of a run, and numbers its steps.
type sink struct {
	prefix string
	emit   func(Record)
	steps  atomic.Int64
}

type sinkKey struct{}

// WithSink returns a context with steps that are reported to tell, each at its beginning and end. Their ids begin with
// prefix, which distinguishes the attempts of a run. tell must be safe for concurrent use, must not block, and must not
// keep pointers of the record.
func WithSink(ctx context.Context, prefix string, tell func(Record)) context.Context {
	return context.WithValue(ctx, sinkKey{}, &sink{prefix: prefix, emit: tell})
}

func sinkOf(ctx context.Context) *sink {
	s, _ := ctx.Value(sinkKey{}).(*sink)
	return s
}

// newID returns an id for a step. It is empty without a sink, which alone needs it.
func (s *sink) newID() string {
	if s == nil {
		return ""
	}
	return s.prefix + strconv.FormatInt(s.steps.Add(1), 10)
}

// report passes on a copy of r, which the step may change later.
func (s *sink) report(r Record) {
	if s != nil {
		s.emit(r)
	}
}
