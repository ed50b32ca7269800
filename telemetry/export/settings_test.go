package export

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// environment is a lookup in pairs of names and values.
func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// Without variables nothing is sent, and an exporter has to be named: an endpoint alone is listed as ignored.
func TestUnsetIsOff(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]func(string) (string, bool){
		"nothing":  environment(),
		"none":     environment("OTEL_TRACES_EXPORTER", "none", "OTEL_METRICS_EXPORTER", " None "),
		"disabled": environment("OTEL_TRACES_EXPORTER", "otlp", "OTEL_METRICS_EXPORTER", "otlp", "OTEL_SDK_DISABLED", "true"),
		"endpoint": environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318"),
	} {
		s, err := Read(env)
		if err != nil || s.Sends() {
			t.Errorf("%s: Read() = %v, %v, want nothing sent", name, s, err)
		}
		if got := s.Ignored(); (name == "endpoint") != slices.Contains(got, "OTEL_EXPORTER_OTLP_ENDPOINT") {
			t.Errorf("%s: Ignored() = %q", name, got)
		}
	}
	s, err := Read(environment("OTEL_LOG_LEVEL", "debug", "OTEL_EXPORTER_OTLP_INSECURE", "true"))
	if err != nil || len(s.Ignored()) != 2 {
		t.Errorf("Read() = %v, %v, want two variables that change nothing", s, err)
	}
}

// Every variable that is honoured has a bad value here, and the error names the variable and does not quote the value.
func TestBadValues(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.pem")
	if err := os.WriteFile(broken, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	const secure = "https://127.0.0.1:4318"
	for variable, bad := range map[string][]string{
		"OTEL_SDK_DISABLED": {"hush"}, "OTEL_TRACES_EXPORTER": {"hush", "zipkin", "otlp,none"}, "OTEL_METRICS_EXPORTER": {"hush", "prometheus"}, "OTEL_LOGS_EXPORTER": {"otlp"},
		"OTEL_RESOURCE_ATTRIBUTES": {"hush", "a=%zz", "=hush"}, "OTEL_PROPAGATORS": {"hush", "tracecontext,b3", "none", "baggage"},
		"OTEL_TRACES_SAMPLER": {"hush", "jaeger_remote"}, "OTEL_TRACES_SAMPLER_ARG": {"hush", "-0.1", "1.1", "NaN"},
		"OTEL_BSP_SCHEDULE_DELAY": {"hush", "0", "5s", "99999999999"}, "OTEL_BSP_EXPORT_TIMEOUT": {"0"}, "OTEL_BSP_MAX_QUEUE_SIZE": {"0", "-1", "1000000"}, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": {"0", "3000"},
		"OTEL_METRIC_EXPORT_INTERVAL": {"0", "1m"}, "OTEL_METRIC_EXPORT_TIMEOUT": {"hush"}, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": {"hush"},
		"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": {"hush", "-1"}, "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": {"hush"},
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"hush:4318", "localhost", "ftp://hush", "http://user:hush@127.0.0.1", "http://127.0.0.1/?key=hush"},
		"OTEL_EXPORTER_OTLP_PROTOCOL": {"hush", "http/json"}, "OTEL_EXPORTER_OTLP_TIMEOUT": {"10s"}, "OTEL_EXPORTER_OTLP_COMPRESSION": {"zstd"},
		"OTEL_EXPORTER_OTLP_HEADERS":     {"hush", "authorization: Bearer hush", "a b=hush", "a=hush%0Ahush", "=hush"},
		"OTEL_EXPORTER_OTLP_CERTIFICATE": {"/does/not/exist", broken}, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": {broken}, "OTEL_EXPORTER_OTLP_CLIENT_KEY": {broken},
	} {
		for _, value := range bad {
			variables := []string{variable}
			if own := strings.Replace(variable, "OTLP_", "OTLP_TRACES_", 1); strings.HasPrefix(variable, "OTEL_EXPORTER_OTLP_") && !strings.Contains(variable, "METRICS") {
				variables = append(variables, own, strings.Replace(own, "TRACES", "METRICS", 1))
			}
			for _, name := range variables {
				env := environment(name, value, "OTEL_TRACES_EXPORTER", "otlp", "OTEL_METRICS_EXPORTER", "otlp", "OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_EXPORTER_OTLP_ENDPOINT", secure)
				if _, err := Read(env); err == nil || !strings.HasPrefix(err.Error(), name+": ") || strings.Contains(err.Error(), "hush") {
					t.Errorf("%s=%s: Read() = %v, want an error that begins with the name", name, value, err)
				}
			}
		}
	}
}

// TestValues is about what the variables come to: a signal's own counts before that for both.
func TestValues(t *testing.T) {
	t.Parallel()
	s, err := Read(environment(
		"OTEL_TRACES_EXPORTER", "OTLP", "OTEL_METRICS_EXPORTER", "otlp",
		"OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example/base", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://metrics.example",
		"OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc, x-team=a%2Cb", "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "api-key=xyz",
		"OTEL_EXPORTER_OTLP_TIMEOUT", "1500", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "gzip",
		"OTEL_BSP_MAX_QUEUE_SIZE", "100", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "77", "OTEL_METRIC_EXPORT_INTERVAL", "5000",
		"OTEL_PROPAGATORS", "tracecontext, Baggage", "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test, service.namespace=a%20b",
	))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.traces.endpoint.String(); got != "https://otel.example/base/v1/traces" {
		t.Errorf("traces go to %s", got)
	}
	if got := s.metrics.endpoint.String(); got != "https://metrics.example" {
		t.Errorf("metrics go to %s", got)
	}
	if h := s.traces.headers; h["authorization"] != "Bearer abc" || h["x-team"] != "a,b" || len(h) != 2 {
		t.Errorf("headers of traces = %q", h)
	}
	if h := s.metrics.headers; h["api-key"] != "xyz" || len(h) != 1 {
		t.Errorf("headers of metrics = %q", h)
	}
	if s.traces.timeout != 1500*time.Millisecond || !s.traces.gzip || s.metrics.gzip || s.queue != 100 || s.batch != 100 || s.valueLength != 77 || s.interval != 5*time.Second {
		t.Errorf("Read() = %+v", s)
	}
	if len(s.attributes) != 2 || s.attributes[1].Value.AsString() != "a b" {
		t.Errorf("attributes = %v", s.attributes)
	}
	s, err = Read(environment("OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"))
	if err != nil || s.traces.endpoint.String() != "http://localhost:4317" {
		t.Errorf("over gRPC, traces go to %v, %v", s, err)
	}
}

// Headers are secrets, and each variable is listed once.
func TestVariablesAreListed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range Variables() {
		if seen[v.Name] {
			t.Errorf("%s is listed twice", v.Name)
		}
		seen[v.Name] = true
		if v.Secret != strings.HasSuffix(v.Name, "HEADERS") {
			t.Errorf("%s: Secret = %t", v.Name, v.Secret)
		}
	}
	for _, name := range []string{"OTEL_TRACES_SAMPLER", "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if !seen[name] {
			t.Errorf("%s is not listed", name)
		}
	}
}

// TestCollectors names each address once, with its port.
func TestCollectors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "[]"},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, "[localhost:4318]"},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example/x"}, "[collector.example:443]"},
		{map[string]string{
			"OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "otlp",
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://[::1]/v1/traces", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://a:9/v1/metrics",
		}, "[[::1]:80 a:9]"},
	} {
		s, err := Read(func(name string) (string, bool) { value, ok := tt.env[name]; return value, ok })
		if err != nil || fmt.Sprint(s.Collectors()) != tt.want {
			t.Errorf("Collectors() with %v = %v, %v, want %s", tt.env, s.Collectors(), err, tt.want)
		}
	}
}
