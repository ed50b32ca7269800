package export

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Settings are the parsed variables. [Read] creates them; they do not change.
type Settings struct {
	disabled   bool
	traces     *collector // nil: none are sent
	metrics    *collector // nil: none are sent
	sampler    sdktrace.Sampler
	service    string // name; may be empty
	attributes []attribute.KeyValue

	queue, batch    int           // spans
	delay, patience time.Duration // between batches, and for one
	valueLength     int           // bytes of an attribute

	interval, timeout time.Duration // between readings of metrics, and for one
	temporality       sdkmetric.TemporalitySelector

	ignored []string // variables that are set without effect
}

// maxQueue is the upper bound of the configured queue length: a span takes some kilobytes.
const maxQueue = 65536

// defaultValueLength is the default length limit of an attribute in bytes, which bounds the memory of a queue.
const defaultValueLength = 4096

// Read reads OpenTelemetry's standard variables. Without them nothing is sent. Errors name no values.
func Read(env func(string) (string, bool)) (*Settings, error) {
	v := &values{env: env}
	s := &Settings{disabled: v.oneOf(v.first("OTEL_SDK_DISABLED"), "false", "true") == "true"}
	v.checkPropagators()
	if v.sends("OTEL_TRACES_EXPORTER", "") && !s.disabled {
		s.traces = v.collector("TRACES")
	}
	if v.sends("OTEL_METRICS_EXPORTER", "; Prometheus reads metrics at -admin-addr") && !s.disabled {
		s.metrics = v.collector("METRICS")
	}
	v.oneOf(v.first("OTEL_LOGS_EXPORTER"), "none")
	s.sampler = v.sampler()
	s.service = v.get("OTEL_SERVICE_NAME")
	for _, pair := range v.pairs(v.first("OTEL_RESOURCE_ATTRIBUTES")) {
		s.attributes = append(s.attributes, attribute.String(pair[0], pair[1]))
	}
	v.batches(s)
	s.interval = v.milliseconds(v.first("OTEL_METRIC_EXPORT_INTERVAL"), time.Minute)
	s.timeout = v.milliseconds(v.first("OTEL_METRIC_EXPORT_TIMEOUT"), 30*time.Second)
	s.temporality = v.temporality()
	for _, variable := range Variables() {
		if !variable.Honoured && v.get(variable.Name) != "" {
			s.ignored = append(s.ignored, variable.Name)
		}
	}
	if v.err != nil {
		return nil, v.err
	}
	if s.traces == nil && s.metrics == nil && !s.disabled && v.get("OTEL_EXPORTER_OTLP_ENDPOINT") != "" {
		s.ignored = append(s.ignored, "OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	return s, nil
}

// Sends reports whether anything is sent to a collector.
func (s *Settings) Sends() bool { return s.traces != nil || s.metrics != nil }

// Collectors are the addresses, host:port, to which something is sent, each once.
func (s *Settings) Collectors() []string {
	var list []string
	for _, c := range []*collector{s.traces, s.metrics} {
		if c == nil || c.endpoint == nil {
			continue
		}
		port := c.endpoint.Port()
		if port == "" {
			port = map[bool]string{true: "443", false: "80"}[c.endpoint.Scheme == "https"]
		}
		if at := net.JoinHostPort(c.endpoint.Hostname(), port); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

// Ignored returns the variables that are set without effect, for example an endpoint without an exporter.
func (s *Settings) Ignored() []string { return s.ignored }

func (v *values) sends(name, instead string) bool {
	switch strings.ToLower(v.get(name)) {
	case "", "none":
		return false
	case "otlp":
		return true
	default:
		v.wrong(name, fmt.Errorf("not one of the choices; write otlp or none%s", instead))
		return false
	}
}

// checkPropagators accepts the behaviour of package telemetry: it propagates traces by tracecontext. Baggage, which the
// variable often names, is data of callers, and is not forwarded.
func (v *values) checkPropagators() {
	const name = "OTEL_PROPAGATORS"
	if v.get(name) == "" {
		return
	}
	words := map[string]bool{}
	for word := range strings.SplitSeq(v.get(name), ",") {
		words[strings.ToLower(strings.TrimSpace(word))] = true
	}
	if delete(words, "baggage"); len(words) != 1 || !words["tracecontext"] {
		v.wrong(name, errors.New("not one of the choices; write tracecontext, or tracecontext,baggage, of which "+
			"baggage is not passed on"))
	}
}

func (v *values) sampler() sdktrace.Sampler {
	const name, argument = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
	kind := v.oneOf(v.first(name), "parentbased_always_on", "always_on", "always_off", "traceidratio",
		"parentbased_always_off", "parentbased_traceidratio")
	ratio := 1.0
	if value := v.get(argument); value != "" && strings.HasSuffix(kind, "traceidratio") {
		var err error
		if ratio, err = strconv.ParseFloat(value, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
			v.wrong(argument, errors.New("not a number from 0 to 1"))
		}
	}
	switch kind {
	case "always_on":
		return sdktrace.AlwaysSample()
	case "always_off":
		return sdktrace.NeverSample()
	case "traceidratio":
		return sdktrace.TraceIDRatioBased(ratio)
	case "parentbased_always_off":
		return sdktrace.ParentBased(sdktrace.NeverSample())
	case "parentbased_traceidratio":
		return sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio))
	default:
		return sdktrace.ParentBased(sdktrace.AlwaysSample())
	}
}

// batches reads how spans wait, and how much of each.
func (v *values) batches(s *Settings) {
	s.delay = v.milliseconds(v.first("OTEL_BSP_SCHEDULE_DELAY"), sdktrace.DefaultScheduleDelay*time.Millisecond)
	s.patience = v.milliseconds(v.first("OTEL_BSP_EXPORT_TIMEOUT"), sdktrace.DefaultExportTimeout*time.Millisecond)
	const queue, batch = "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
	s.queue = v.number(v.first(queue), sdktrace.DefaultMaxQueueSize, 1)
	if s.queue > maxQueue {
		v.wrong(queue, fmt.Errorf("too many; write at most %d", maxQueue))
	}
	s.batch = v.number(v.first(batch), min(sdktrace.DefaultMaxExportBatchSize, s.queue), 1)
	if s.batch > s.queue {
		v.wrong(batch, errors.New("more than "+queue))
	}
	length := v.first("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT")
	s.valueLength = v.number(length, defaultValueLength, 0)
}

// temporality reads whether metrics are sent as sums since the start, or since the last time.
func (v *values) temporality() sdkmetric.TemporalitySelector {
	const name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
	switch v.oneOf(v.first(name), "cumulative", "delta", "lowmemory") {
	case "delta":
		return sdkmetric.DeltaTemporalitySelector
	case "lowmemory":
		return sdkmetric.LowMemoryTemporalitySelector
	default:
		return sdkmetric.CumulativeTemporalitySelector
	}
}
