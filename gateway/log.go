package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// How much of one attribute a line of the log has, in bytes; a stack may take more.
const (
	maxLogText  = 2 << 10
	maxLogStack = 16 << 10
)

// BoundedLog returns a handler that passes lines on to h with what is long cut off: whatever callers, agents and servers
// send, no attribute takes more than 2 KiB, and no stack more than 16 KiB. A panic of h loses the line and nothing else.
// [New] applies it to [Options.Log].
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
	return protect(func() error {
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

// clipText is text, or its first most bytes and how many there were.
func clipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d bytes)", len(text))
}
