package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
	"github.com/agui-gateway/gateway/telemetry"
	otelexport "github.com/agui-gateway/gateway/telemetry/export"
	"github.com/agui-gateway/gateway/travel"
)

// grossCost bounds the cost of telemetry, as a factor of a run's CPU time: far above the aim, which a busy machine
// makes look bad.
const grossCost = 2

// BenchmarkTelemetry measures the CPU time that telemetry adds to a run: the same runs with telemetry off, and with
// traces that are sent to a collector and metrics that can be read. Both alternate, so that load affects them equally;
// the client, which reads the stream, and the collector, which reads the spans, are part of the process.
func BenchmarkTelemetry(b *testing.B) {
	for name, agent := range map[string]groupchat.Agent{
		"run=words":  &script.Agent{Steps: []script.Step{{Say: strings.Repeat("and ", words-1) + "out."}}},
		"run=travel": travel.New(travel.Options{}),
	} {
		b.Run(name, func(b *testing.B) {
			off, export := exporting(b, nil), exporting(b, sending(b))
			urls := [2]string{
				serving(b, agent, telemetry.New(telemetry.Options{Tracers: off.Tracers(), Meters: off.Meters()})),
				serving(b, agent, telemetry.New(telemetry.Options{Tracers: export.Tracers(), Meters: export.Meters()})),
			}
			var took [2]time.Duration
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				for i := range urls {
					i = (i + n) % 2 // who comes second finds the garbage of the first
					runtime.GC()
					before := cpuTime(b)
					for j := range 20 {
						once(b, urls[i], fmt.Sprintf("t-%d-%d", n, j))
					}
					if i == 1 {
						if err := export.Flush(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
					took[i] += cpuTime(b) - before
				}
				n++
			}
			ratio := float64(took[1]) / float64(took[0])
			b.ReportMetric(0, "ns/op") // of forty runs together, which says nothing
			b.ReportMetric(float64(took[0].Microseconds())/float64(20*n), "µs-off")
			b.ReportMetric(float64(took[1].Microseconds())/float64(20*n), "µs-on")
			b.ReportMetric(ratio, "on/off")
			if ratio > grossCost {
				b.Errorf("telemetry makes a run cost %.2f times as much", ratio)
			}
		})
	}
}

// sending is a setting by which traces go to a collector that reads and forgets them.
func sending(b *testing.B) map[string]string {
	b.Helper()
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			b.Error(err)
		}
	}))
	b.Cleanup(collector.Close)
	return map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}
}

// exporting does what serve does: it sends traces, and has metrics read, if there are variables, and else nothing.
func exporting(b *testing.B, env map[string]string) *otelexport.Export {
	b.Helper()
	settings, err := otelexport.Read(environment(env))
	if err != nil {
		b.Fatal(err)
	}
	export, err := settings.Start(b.Context(), otelexport.Options{Scrape: env != nil, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := export.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return export
}

// serving serves an agent with its threads in memory.
func serving(b *testing.B, agent groupchat.Agent, t *telemetry.Telemetry) string {
	b.Helper()
	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"bench": agent}, Telemetry: t, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(g)
	b.Cleanup(func() {
		server.Close()
		if err := g.Close(); err != nil {
			b.Errorf("Close() = %v", err)
		}
	})
	return server.URL
}

// once runs the agent on a thread and reads all that it says.
func once(b *testing.B, url, thread string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/agents/bench", strings.NewReader(input(thread)))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK || n == 0 {
		b.Fatalf("a run = %d, %d bytes, %v", response.StatusCode, n, err)
	}
}

// cpuTime is what the process has used so far, of all processors.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
