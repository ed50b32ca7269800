package export

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Variable is one of OpenTelemetry's standard environment variables.
type Variable struct {
	Name     string
	Secret   bool // its value may hold credentials
	Honoured bool // it changes something here
}

// Variables returns the variables that this package knows, the supported ones first.
func Variables() []Variable {
	list := make([]Variable, 0, len(supported)+len(unsupported)+len(collectorParts)*len(signals))
	for _, name := range supported {
		list = append(list, Variable{Name: name, Honoured: true})
	}
	for _, signal := range signals {
		for _, part := range collectorParts {
			list = append(list, Variable{Name: collectorVariable(signal, part), Secret: part == "HEADERS",
				Honoured: true})
		}
	}
	for _, name := range unsupported {
		list = append(list, Variable{Name: name, Secret: strings.HasSuffix(name, "HEADERS")})
	}
	return list
}

// supported are the supported variables other than those of the collector.
var supported = []string{
	"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER", "OTEL_SERVICE_NAME",
	"OTEL_RESOURCE_ATTRIBUTES", "OTEL_PROPAGATORS",
	"OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG",
	"OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
	"OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
	"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
}

// unsupported are standard variables that are not supported, in case an operator expects an effect.
var unsupported = []string{
	"OTEL_LOG_LEVEL", "OTEL_CONFIG_FILE", "OTEL_EXPERIMENTAL_CONFIG_FILE", "OTEL_METRICS_EXEMPLAR_FILTER",
	"OTEL_EXPORTER_OTLP_INSECURE", "OTEL_EXPORTER_OTLP_TRACES_INSECURE", "OTEL_EXPORTER_OTLP_METRICS_INSECURE",
	"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION",
	"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_HEADERS", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
	"OTEL_EXPORTER_PROMETHEUS_HOST", "OTEL_EXPORTER_PROMETHEUS_PORT", "OTEL_EXPORTER_ZIPKIN_ENDPOINT",
	"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_EVENT_COUNT_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT",
	"OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT",
	"OTEL_ATTRIBUTE_COUNT_LIMIT",
}

// values reads variables, and keeps the first error, which names its variable and not the value.
type values struct {
	env func(string) (string, bool)
	err error
}

// A set is a variable, with its value.
type set struct{ name, value string }

// first returns the first of the variables that has a value, without the white space around it. Without any it returns
// the last name.
func (v *values) first(names ...string) (found set) {
	for _, name := range names {
		value, _ := v.env(name)
		if found = (set{name, strings.TrimSpace(value)}); found.value != "" {
			return found
		}
	}
	return found
}

// get returns the value of a variable; empty if it has none.
func (v *values) get(name string) string { return v.first(name).value }

func (v *values) wrong(name string, err error) {
	if v.err == nil {
		v.err = fmt.Errorf("%s: %w", name, err)
	}
}

// oneOf reads one of the words, in any case; without a value it returns the first.
func (v *values) oneOf(s set, words ...string) string {
	if s.value == "" {
		return words[0]
	}
	if lower := strings.ToLower(s.value); slices.Contains(words, lower) {
		return lower
	}
	v.wrong(s.name, fmt.Errorf("not one of the choices; write %s", strings.Join(words, " or ")))
	return words[0]
}

// number reads a whole number from least up.
func (v *values) number(s set, otherwise, least int) int {
	if s.value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s.value)
	if err != nil || n < least {
		v.wrong(s.name, fmt.Errorf("not a whole number from %d up", least))
		return otherwise
	}
	return n
}

// milliseconds reads a length of time, which the standard has in whole milliseconds.
func (v *values) milliseconds(s set, otherwise time.Duration) time.Duration {
	const most = int(24 * time.Hour / time.Millisecond)
	n := v.number(s, int(otherwise.Milliseconds()), 1)
	if n > most {
		v.wrong(s.name, fmt.Errorf("too long; write at most %d milliseconds", most))
	}
	return time.Duration(n) * time.Millisecond
}

// pairs reads key=value pairs with commas between, as in the header Baggage: values are percent-encoded.
func (v *values) pairs(s set) [][2]string {
	var list [][2]string
	for pair := range strings.SplitSeq(s.value, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, text, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		text, err := url.PathUnescape(strings.TrimSpace(text))
		if !ok || key == "" || err != nil {
			v.wrong(s.name, errors.New("not a list of key=value with commas between; in a value write a comma as %2C "+
				"and a per cent sign as %25"))
			return nil
		}
		list = append(list, [2]string{key, text})
	}
	return list
}
