package export

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

type faulty struct{ sdktrace.SpanExporter }

func (faulty) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { panic("a defect") }

// TestAPanicOfAnExporterEndsNothing is about the goroutine of the SDK's, in which it would end the process.
func TestAPanicOfAnExporterEndsNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := newReporter(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), "traces", nil)
	if err := (spanSender{faulty{}, r}).ExportSpans(t.Context(), nil); err != nil {
		t.Errorf("ExportSpans() = %v", err)
	}
	if !strings.Contains(log.String(), "the exporter panicked") {
		t.Errorf("log = %s", &log)
	}
}
