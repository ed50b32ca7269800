package telemetry

import (
	"context"
	"strconv"
	"sync/atomic"
)

// A sink gets the records of a run, and numbers its steps.
type sink struct {
	prefix string
	tell   func(Record)
	steps  atomic.Int64
}

type sinkKey struct{}

// WithSink returns a context whose steps are told to tell, each when it begins and when it ends. Their ids begin with prefix, so
// that several attempts at a run can be told apart. tell is called from many goroutines, does not block and keeps nothing of the
// record's pointers.
func WithSink(ctx context.Context, prefix string, tell func(Record)) context.Context {
	return context.WithValue(ctx, sinkKey{}, &sink{prefix: prefix, tell: tell})
}

// sinkOf returns the sink of ctx, nil if it has none.
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

// told tells a copy of r, so that the step can go on with its own.
func (s *sink) told(r Record) {
	if s != nil {
		s.tell(r)
	}
}
