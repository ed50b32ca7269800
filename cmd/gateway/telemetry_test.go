package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestTelemetry is about where telemetry goes, and that a run does not notice it.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	team := writeFile(t, "team.yaml", slowTeam)
	// variables has telemetry sent to url, with a key.
	variables := func(url string) []string {
		return []string{"OTEL_TRACES_EXPORTER=otlp", "OTEL_METRICS_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT=" + url, "OTEL_EXPORTER_OTLP_HEADERS=x-key=correct-horse-battery"}
	}
	travelled := func(t *testing.T, env []string, args ...string) string {
		t.Helper()
		p, _ := startAdminProcess(t, binary, env, append(args, "-config", team, "-admin-addr", "127.0.0.1:0")...)
		if status, body := get(t, http.MethodPost, p.url+"/agents/short", input("t")); status != http.StatusOK || !strings.Contains(body, `"RUN_FINISHED"`) {
			t.Errorf("a run = %d, %s", status, body)
		}
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, exitOK)
		if strings.Contains(p.log.String(), "horse") {
			t.Errorf("the log has the key:\n%s", &p.log)
		}
		return p.log.String()
	}
	t.Run("what waits is sent at the end", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		var paths []string
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			mu.Lock()
			defer mu.Unlock()
			if paths = append(paths, r.URL.Path); err != nil || r.Header.Get("X-Key") != "correct-horse-battery" {
				t.Errorf("%s without its key, or its body: %v", r.URL.Path, err)
			}
		}))
		defer receiver.Close()
		travelled(t, variables(receiver.URL))
		if mu.Lock(); !slices.Contains(paths, "/v1/metrics") || !slices.Contains(paths, "/v1/traces") {
			t.Errorf("the collector was sent %q", paths)
		}
		mu.Unlock()
	})
	t.Run("a collector that is away", func(t *testing.T) {
		t.Parallel()
		log := travelled(t, variables("http://127.0.0.1:1"), "-drain", "0s")
		if n := strings.Count(log, "telemetry: not sent"); n > 2 {
			t.Errorf("%d lines about two signals:\n%s", n, log)
		}
	})
	t.Run("a collector that hangs", func(t *testing.T) {
		t.Parallel()
		hanging := make(chan struct{})
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hanging }))
		defer receiver.Close()
		defer close(hanging)
		if log := travelled(t, variables(receiver.URL), "-drain", "0s"); !strings.Contains(log, "not all of it could be sent") {
			t.Errorf("the log does not tell what is lost:\n%s", log)
		}
	})
	t.Run("a variable that changes nothing", func(t *testing.T) {
		t.Parallel()
		if log := travelled(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"}); !strings.Contains(log, "OTEL_EXPORTER_OTLP_ENDPOINT") {
			t.Errorf("the log does not warn:\n%s", log)
		}
	})
	t.Run("mistakes", func(t *testing.T) {
		t.Parallel()
		for variable, value := range map[string]string{
			"OTEL_TRACES_EXPORTER": "hush", "OTEL_METRICS_EXPORTER": "prometheus", "OTEL_TRACES_SAMPLER": "hush", "OTEL_EXPORTER_OTLP_HEADERS": "authorization: Bearer hush",
		} {
			env := map[string]string{"OTEL_TRACES_EXPORTER": "otlp", variable: value}
			var out, log bytes.Buffer
			code := run(context.Background(), []string{"-addr", "127.0.0.1:0"}, environment(env), &out, &log)
			if code != exitError || !strings.HasPrefix(log.String(), "gateway: "+variable+": ") || strings.Count(log.String(), "\n") != 1 || strings.Contains(log.String(), "hush") {
				t.Errorf("run() with %s = %d, %q, want one line that begins with the name", variable, code, log.String())
			}
		}
	})
}
