package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state"
)

// How much of one attribute a line of the log has, in bytes; a stack may take more.
const (
	maxLogText  = 2 << 10
	maxLogStack = 16 << 10
)

// BoundedLog returns a handler that truncates long values and passes lines to h: no attribute takes more than 2 KiB,
// and no stack more than 16 KiB, A panic of h only loses the line. [New] applies it to [Options.Log].
func BoundedLog(h slog.Handler) slog.Handler {
	if bounded, ok := h.(boundedLog); ok {
		return bounded
	}
	return boundedLog{h}
}

type boundedLog struct{ h slog.Handler }

func (b boundedLog) Enabled(ctx context.Context, level slog.Level) bool {
	return b.h.Enabled(ctx, level)
}

func (b boundedLog) Handle(ctx context.Context, r slog.Record) error {
	bounded := slog.NewRecord(r.Time, r.Level, clipText(r.Message, maxLogText), r.PC)
	return calls.Protect(func() error {
		r.Attrs(func(a slog.Attr) bool {
			bounded.AddAttrs(boundAttr(a))
			return true
		})
		return b.h.Handle(ctx, bounded)
	})
}

func (b boundedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return boundedLog{b.h.WithAttrs(boundAttrs(attrs))}
}

func (b boundedLog) WithGroup(name string) slog.Handler { return boundedLog{b.h.WithGroup(name)} }

func boundAttrs(attrs []slog.Attr) []slog.Attr {
	bounded := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		bounded[i] = boundAttr(a)
	}
	return bounded
}

func boundAttr(a slog.Attr) slog.Attr {
	most := maxLogText
	if a.Key == "stack" {
		most = maxLogStack
	}
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindGroup:
		value = slog.GroupValue(boundAttrs(value.Group())...)
	case slog.KindString:
		value = slog.StringValue(clipText(value.String(), most))
	case slog.KindAny:
		switch value.Any().(type) {
		case error, fmt.Stringer:
			if text := fmt.Sprint(value.Any()); len(text) > most { // which survives a method that panics
				value = slog.StringValue(clipText(text, most))
			}
		}
	default:
	}
	return slog.Attr{Key: a.Key, Value: value}
}

// clipText returns text, or its first most bytes and how many it has.
func clipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return clip.To(text, most) + fmt.Sprintf(" (%d bytes)", len(text))
}

// runLog returns the logger of an attempt: each line names its agent, thread, run, fence and attempt.
func runLog(log *slog.Logger, lease *state.Lease, intent *state.Intent) *slog.Logger {
	return log.With("agent", lease.Key.Agent, "thread", lease.Key.ID, "run_id", intent.RunID, "fence", lease.Fence,
		"attempt", intent.Attempts)
}

func (a *attempt) logStart() {
	if a.intent.Attempts > 1 {
		a.log.Info("run: taken over")
		return
	}
	a.log.Info("run: started")
}

// logEnd writes the line of the run's end: its outcome, its duration since its first start, and its known tokens.
func (a *attempt) logEnd() {
	attrs := []any{"status", string(a.ended.Status)}
	if a.ended.Code != "" {
		attrs = append(attrs, "code", string(a.ended.Code))
	}
	if result := a.limitResult(); result != nil {
		attrs = append(attrs, "limit", string(limit.MaxRounds))
	}
	attrs = append(attrs, "took_ms", a.clock.Now().Sub(a.intent.StartedAt).Milliseconds())
	input, output := a.tokens()
	if input > 0 {
		attrs = append(attrs, "input_tokens", input)
	}
	if output > 0 {
		attrs = append(attrs, "output_tokens", output)
	}
	if a.ended.Cost != nil {
		attrs = append(attrs, "cost", *a.ended.Cost)
	}
	a.log.Info("run: ended", attrs...)
}

// tokens returns how many tokens the run's models read and wrote, all of them together.
func (a *attempt) tokens() (input, output int64) {
	for _, u := range a.usage.Total() {
		if u.InputTokens != nil {
			input += *u.InputTokens
		}
		if u.OutputTokens != nil {
			output += *u.OutputTokens
		}
	}
	return input, output
}

// logThread writes a line about the effect of a request on a thread. It must not contain titles or messages.
func (g *Gateway) logThread(r *http.Request, key state.Key, what string, attrs ...any) {
	g.log(r).With("agent", key.Agent, "thread", key.ID).Info("thread: "+what, attrs...)
}
