package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/agui-gateway/gateway/internal/clip"
)

// maxName bounds the bytes of clients' names in a span.
const maxName = 256

// A Thread is which conversation steps belong to, in the words of its client.
type Thread struct{ ID, RunID string }

type threadKey struct{}

// WithThread returns a context with steps that belong to t.
func WithThread(ctx context.Context, t Thread) context.Context {
	t.ID, t.RunID = clip.To(t.ID, maxName), clip.To(t.RunID, maxName)
	return context.WithValue(ctx, threadKey{}, t)
}

// A LinkReason is the relation between two spans.
type LinkReason string

// The reasons of links.
const (
	LinkPrevious LinkReason = "previous" // the run before on the thread
	LinkTakeover LinkReason = "takeover" // the attempt that was taken over
)

// A Link leads from a step to one of another trace.
type Link struct {
	// Traceparent identifies it, like [Traceparent]. An empty or invalid one makes no link.
	Traceparent string
	// Why is its relation to the step.
	Why LinkReason
	// ThreadID is the thread of both.
	ThreadID string
}

func spanLinks(links []Link) []trace.Link {
	var list []trace.Link
	for _, l := range links {
		if at := spanContextOf(l.Traceparent); at.IsValid() {
			list = append(list, trace.Link{SpanContext: at, Attributes: []attribute.KeyValue{
				attribute.String("agui.link", string(l.Why)),
				attribute.String("gen_ai.conversation.id", clip.To(l.ThreadID, maxName)),
			}})
		}
	}
	return list
}
