package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// later is the record that a version with the next format leaves in its Redis.
const later = state.CurrentFormat + 1

// A server does not start on a Redis that a later version has taken: it says why, in a line, and leaves it as it is.
func TestServeOnALaterVersionsRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	c := redis.Client()
	c.Set(t.Context(), "agui:format", later.Record(), 0)
	var log strings.Builder
	code := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-store", redis.URL()}, environment(nil), &strings.Builder{}, &log)
	want := "gateway: -store (GATEWAY_STORE): state: a later version of the gateway has written what is stored there " +
		"(format " + later.String() + ", this one knows " + state.CurrentFormat.String() + "); nothing was changed\n"
	if code == 0 || !strings.HasSuffix(log.String(), want) {
		t.Errorf("exit code %d\n%s\nwant %s", code, log.String(), want)
	}
	if record := c.Get(t.Context(), "agui:format").Val(); record != later.Record() {
		t.Errorf("the record is %q", record)
	}
}

// A server becomes unready when a later version takes its Redis, and logs that once.
func TestServeBesideALaterVersion(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	url, stop := startServer(t, "-store", redis.URL(), "-voice-delay", "0", "-log-format", "json")
	redis.Client().Set(t.Context(), "agui:format", later.Record(), 0)
	for range 3 {
		for _, request := range [][3]string{{http.MethodGet, "/readyz", ""}, {http.MethodPost, "/agents/travel", input("t")}} {
			status, body := get(t, request[0], url+request[1], request[2])
			if status != http.StatusServiceUnavailable || !strings.Contains(body, `"store_too_new"`) {
				t.Errorf("%s %s = %d, %s", request[0], request[1], status, body)
			}
		}
	}
	if code, log := stop(); code != 0 || strings.Count(log, `"readiness: not ready","code":"store_too_new"`) != 1 {
		t.Errorf("exit code %d\n%s", code, log)
	}
}
