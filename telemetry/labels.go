package telemetry

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/agui-gateway/gateway/errcode"
)

// other replaces values of a label beyond its bound.
const other = "other"

// Bounds of labels. A team, or the list of an MCP server's tools, may change while the gateway runs, so a label with
// names as values has a bounded number per process, of bounded length.
const (
	maxLabelValues = 500
	maxLabelBytes  = 128
)

// A label is a label with names as values. It keeps the first ones.
type label struct {
	key  attribute.Key
	mu   sync.RWMutex
	seen map[string]bool
}

func newLabel(key attribute.Key) *label { return &label{key: key, seen: map[string]bool{}} }

func (l *label) of(value string) attribute.KeyValue {
	if !l.takes(value) {
		value = other
	}
	return l.key.String(value)
}

func (l *label) takes(value string) bool {
	l.mu.RLock()
	known, full := l.seen[value], len(l.seen) >= maxLabelValues
	l.mu.RUnlock()
	if known || full || value == "" || len(value) > maxLabelBytes {
		return known
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) < maxLabelValues {
		l.seen[value] = true
	}
	return l.seen[value]
}

type labels struct {
	agent, participant, provider, model, tool, remote *label
}

func newLabels() labels {
	return labels{
		agent: newLabel("agent"), participant: newLabel("participant"), provider: newLabel("provider"),
		model: newLabel("model"),
		tool:  newLabel("tool"), remote: newLabel("remote"),
	}
}

// codeText returns the label for a code: a program may define any codes.
func codeText(c errcode.Code) string {
	if !c.Known() {
		return other
	}
	return string(c)
}

// with is an option of a measurement: its labels.
func with(attrs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attrs...))
}
