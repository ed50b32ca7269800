package export

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A receiver is a collector that keeps what it is sent.
type receiver struct {
	collectortrace.UnimplementedTraceServiceServer

	mu      sync.Mutex
	traces  []*collectortrace.ExportTraceServiceRequest
	headers []string // of each request, the one that holds the key
	paths   []string
	refuse  func(http.ResponseWriter, *http.Request) // nil: everything is taken
}

func (r *receiver) keep(path, header string, request *collectortrace.ExportTraceServiceRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths, r.headers = append(r.paths, path), append(r.headers, header)
	if request != nil {
		r.traces = append(r.traces, request)
	}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if r.refuse != nil {
		r.refuse(w, request)
		return
	}
	body, err := io.ReadAll(request.Body)
	var traces *collectortrace.ExportTraceServiceRequest
	if err == nil && strings.HasSuffix(request.URL.Path, "/traces") {
		traces = &collectortrace.ExportTraceServiceRequest{}
		err = proto.Unmarshal(body, traces)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.keep(request.URL.Path, request.Header.Get("X-Key"), traces)
}

// Export is the same over gRPC.
func (r *receiver) Export(ctx context.Context, request *collectortrace.ExportTraceServiceRequest) (*collectortrace.ExportTraceServiceResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	r.keep("grpc", strings.Join(md.Get("x-key"), ","), request)
	return &collectortrace.ExportTraceServiceResponse{}, nil
}

// overHTTP starts r as a server of HTTP and returns its URL.
func (r *receiver) overHTTP(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return server.URL
}

// overGRPC starts r as a server of gRPC and returns its URL.
func (r *receiver) overGRPC(t *testing.T) string {
	t.Helper()
	var listening net.ListenConfig
	listener, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collectortrace.RegisterTraceServiceServer(server, r)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(listener); err != nil {
			t.Errorf("Serve() = %v", err)
		}
	})
	t.Cleanup(func() {
		server.Stop()
		serving.Wait()
	})
	return "http://" + listener.Addr().String()
}

// start starts what the variables say.
func start(t *testing.T, o Options, pairs ...string) *Export {
	t.Helper()
	s, err := Read(environment(pairs...))
	if err != nil {
		t.Fatal(err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e, err := s.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSpansReachTheCollector sends a span by each protocol: with the headers and the resource of the variables, and
// long values cut.
func TestSpansReachTheCollector(t *testing.T) {
	for protocol, url := range map[string]func(*receiver, *testing.T) string{overHTTP: (*receiver).overHTTP, overGRPC: (*receiver).overGRPC} {
		t.Run(protocol, func(t *testing.T) {
			var r receiver
			e := start(t, Options{Version: "v1.2.3"}, "OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT", url(&r, t), "OTEL_EXPORTER_OTLP_PROTOCOL", protocol,
				"OTEL_EXPORTER_OTLP_HEADERS", "x-key=abc", "OTEL_EXPORTER_OTLP_COMPRESSION", "none", "OTEL_SERVICE_NAME", "desk", "OTEL_RESOURCE_ATTRIBUTES", "team=a,service.name=other")
			_, span := e.Tracers().Tracer("test").Start(t.Context(), "work")
			span.SetAttributes(attribute.String("long", strings.Repeat("x", 5000)))
			span.End()
			if err := e.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(r.traces) != 1 || r.headers[0] != "abc" {
				t.Fatalf("the collector was sent %d requests, headers %q", len(r.traces), r.headers)
			}
			sent := r.traces[0].ResourceSpans[0]
			about := map[string]string{}
			for _, a := range sent.Resource.Attributes {
				about[a.Key] = a.Value.GetStringValue()
			}
			if about["service.name"] != "desk" || about["team"] != "a" || about["service.version"] != "v1.2.3" || about["service.instance.id"] == "" || about["telemetry.sdk.language"] != "go" {
				t.Errorf("the resource is %v", about)
			}
			for name := range about {
				if strings.HasPrefix(name, "process.command") {
					t.Errorf("the resource has %s, and a command line may hold credentials", name)
				}
			}
			got := sent.ScopeSpans[0].Spans[0]
			if got.Name != "work" || len(got.Attributes[0].Value.GetStringValue()) != defaultValueLength {
				t.Errorf("the span is %v", got)
			}
		})
	}
}

// TestOff starts nothing: telemetry is discarded.
func TestOff(t *testing.T) {
	e := start(t, Options{})
	_, span := e.Tracers().Tracer("test").Start(t.Context(), "work")
	span.End()
	if span.IsRecording() || e.Metrics() != nil || len(e.senders) > 0 {
		t.Error("something is recorded that nobody has asked for")
	}
	if _, err := e.Meters().Meter("test").Int64Counter("x"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(e.Flush(t.Context()), e.Close(t.Context())); err != nil {
		t.Error(err)
	}
}

// TestSampler records no trace that the variables leave out.
func TestSampler(t *testing.T) {
	var r receiver
	e := start(t, Options{}, "OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT", r.overHTTP(t), "OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0")
	_, span := e.Tracers().Tracer("test").Start(t.Context(), "work")
	span.End()
	if err := e.Close(t.Context()); err != nil || len(r.traces) != 0 {
		t.Errorf("Close() = %v, %d requests, want none", err, len(r.traces))
	}
}

// TestMetricsAreSentAndShown sends metrics to a collector and serves them to a scrape: without attributes that clients
// can multiply.
func TestMetricsAreSentAndShown(t *testing.T) {
	var r receiver
	e := start(t, Options{Scrape: true}, "OTEL_METRICS_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT", r.overHTTP(t))
	meter := e.Meters().Meter("test")
	took, err := meter.Float64Histogram("http.server.request.duration", metric.WithUnit("s"), metric.WithDescription("How long requests took."))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := meter.Int64Counter("gateway.runs", metric.WithDescription("Runs that have ended."))
	if err != nil {
		t.Fatal(err)
	}
	_, span := e.Tracers().Tracer("test").Start(t.Context(), "work")
	defer span.End()
	for i := range maxSeries + 100 {
		name := attribute.String("agent", strings.Repeat("x", i))
		runs.Add(t.Context(), 1, metric.WithAttributes(name))
		took.Record(t.Context(), 0.1, metric.WithAttributes(attribute.String("http.request.method", "GET"), attribute.String("server.address", "hush"),
			attribute.String("user_agent.original", "hush"), attribute.String("url.path", "hush"), attribute.String("network.peer.address", "hush"), attribute.Int("http.response.status_code", 200)))
	}
	for _, accept := range []string{"text/plain", "application/openmetrics-text; version=1.0.0"} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		request.Header.Set("Accept", accept)
		answer := httptest.NewRecorder()
		e.Metrics().ServeHTTP(answer, request)
		text := answer.Body.String()
		for _, want := range []string{
			"go_goroutines ", "process_open_fds ", `gateway_runs_total{otel_metric_overflow="true"}`,
			`http_server_request_duration_seconds_count{http_request_method="GET",http_response_status_code="200"} 2100`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: /metrics has no %s", accept, want)
			}
		}
		if n := strings.Count(text, "\ngateway_runs_total{"); n > maxSeries {
			t.Errorf("%s: one counter has %d series", accept, n)
		}
		if strings.Contains(text, "hush") || strings.Contains(text, "otel_scope") {
			t.Errorf("%s: /metrics has what clients say", accept)
		}
		if got := answer.Header().Get("Content-Type"); !strings.HasPrefix(got, strings.SplitN(accept, ";", 2)[0]) {
			t.Errorf("%s: the answer is %s", accept, got)
		}
	}
	if err := e.Close(t.Context()); err != nil || len(r.paths) != 1 || r.paths[0] != "/v1/metrics" {
		t.Errorf("Close() = %v, requests to %q", err, r.paths)
	}
}

// A lockedLog is a log that several write to.
type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestACollectorThatRefuses tells the log once, without the key that the collector repeats, whatever else fails.
func TestACollectorThatRefuses(t *testing.T) {
	var log lockedLog
	r := receiver{refuse: func(w http.ResponseWriter, request *http.Request) {
		http.Error(w, "wrong key "+request.Header.Get("X-Key")+" of "+strings.Repeat("somebody ", 1000), http.StatusUnauthorized)
	}}
	e := start(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, "OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT", r.overHTTP(t),
		"OTEL_EXPORTER_OTLP_HEADERS", "x-key=correct-horse-battery", "OTEL_BSP_MAX_QUEUE_SIZE", "8", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	for range 100 {
		_, span := e.Tracers().Tracer("test").Start(t.Context(), "work")
		span.End()
	}
	if err := e.Close(t.Context()); err != nil {
		t.Errorf("Close() = %v", err)
	}
	text := log.String()
	if strings.Count(text, "\n") != 1 || !strings.Contains(text, "401") || !strings.Contains(text, "signal=traces") || strings.Contains(text, "horse") || len(text) > 1000 {
		t.Errorf("the log has:\n%s", text)
	}
}

// TestACollectorThatHangs checks that nothing waits for a collector that hangs: spans are dropped beyond the queue, and
// Close, which sends the metrics, returns when its context is done.
func TestACollectorThatHangs(t *testing.T) {
	hanging, arrived := make(chan struct{}), make(chan string, 10)
	r := receiver{refuse: func(_ http.ResponseWriter, r *http.Request) {
		arrived <- r.URL.Path
		<-hanging
	}}
	await := func(path string) {
		t.Helper()
		select {
		case got := <-arrived:
			if got != path {
				t.Errorf("the collector was asked for %s, want %s", got, path)
			}
		case <-time.After(time.Minute):
			t.Fatalf("the collector was not asked for %s", path)
		}
	}
	e := start(t, Options{Scrape: true}, "OTEL_TRACES_EXPORTER", "otlp", "OTEL_METRICS_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT", r.overHTTP(t),
		"OTEL_BSP_MAX_QUEUE_SIZE", "8", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8")
	t.Cleanup(func() { close(hanging) }) // before the server is closed
	for range 10_000 {
		_, span := e.Tracers().Tracer("test").Start(t.Context(), "work")
		span.End()
	}
	await("/v1/traces")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- e.Close(ctx) }()
	await("/v1/metrics")
	select {
	case err := <-closed:
		t.Errorf("Close() = %v while the collector has not answered", err)
	default:
	}
	cancel()
	select {
	case err := <-closed:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Close() = %v, want that its context is done", err)
		}
	case <-time.After(time.Minute):
		t.Error("Close() goes on after its context")
	}
}

// TestCloseStopsAfterItsContext checks that Close leaves no goroutine if its context is done before.
func TestCloseStopsAfterItsContext(t *testing.T) {
	var r receiver
	url := r.overHTTP(t)
	before := goleak.IgnoreCurrent()
	e := start(t, Options{}, "OTEL_TRACES_EXPORTER", "otlp", "OTEL_METRICS_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT", url)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close() = %v, want %v", err, context.Canceled)
	}
	goleak.VerifyNone(t, before)
}

// TestTheLogIsToldOnceAMinute however often sending fails, and once when it works again.
func TestTheLogIsToldOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log lockedLog
		r := newReporter(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), "traces", nil)
		for range 599 { // ten minutes
			r.report(errors.New("connection refused"))
			time.Sleep(time.Second)
		}
		r.report(nil)
		r.report(nil)
		text := log.String()
		if n := strings.Count(text, "not sent"); n != 10 || strings.Count(text, "sent again") != 1 || !strings.Contains(text, "requests=60") {
			t.Errorf("%d lines of failures in ten minutes:\n%s", n, text)
		}
	})
}
