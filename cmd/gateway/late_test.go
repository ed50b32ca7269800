package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A server that starts before its Redis is alive and not ready, says so, and serves as soon as it can.
func TestServeBeforeItsRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	redis.Kill()
	url, stop := startServer(t, "-store", redis.URL(), "-voice-delay", "0", "-log-format", "json")
	if status, body := get(t, http.MethodGet, url+"/healthz", ""); status != http.StatusOK {
		t.Errorf("GET /healthz = %d, %s", status, body)
	}
	if status, body := get(t, http.MethodGet, url+"/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(body, `"store_unavailable"`) {
		t.Errorf("GET /readyz = %d, %s", status, body)
	}
	if status, body := get(t, http.MethodPost, url+"/agents/travel", input("t")); status != http.StatusServiceUnavailable {
		t.Errorf("POST /agents/travel = %d, %s", status, body)
	}
	redis.Restart()
	redistest.Until(t, "the server", func() bool {
		status, _ := get(t, http.MethodGet, url+"/readyz", "")
		return status == http.StatusOK
	})
	if status, body := get(t, http.MethodPost, url+"/agents/travel", input("t")); status != http.StatusOK || !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("POST /agents/travel = %d, %s", status, body)
	}
	if code, log := stop(); code != 0 || !strings.Contains(log, "waited for") {
		t.Errorf("exit code %d\n%s", code, log)
	}
}

// A server with a refused Redis password does not start.
func TestServeRefusedByItsRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	if err := redis.Client().ConfigSet(t.Context(), "requirepass", "right").Err(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	code := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-store", "redis://:wr0ng@" + redis.Addr}, environment(nil), &strings.Builder{}, &log)
	if code == 0 || !strings.Contains(log.String(), "-store (GATEWAY_STORE)") || strings.Contains(log.String(), "wr0ng") {
		t.Errorf("exit code %d\n%s", code, log.String())
	}
}
