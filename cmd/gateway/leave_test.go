package main

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// leaveProcess has a server leave for longer than any test: it is unready, and still serves. The drain that would
// follow is cut off by the second signal.
func leaveProcess(t *testing.T, binary, team string) {
	t.Helper()
	p := startProcess(t, binary, "-config", team, "-drain-delay", "1h")
	if status, body := get(t, http.MethodGet, p.url+"/readyz", ""); status != http.StatusOK {
		t.Fatalf("/readyz before the signal = %d, %s", status, body)
	}
	p.signal(t, syscall.SIGTERM)
	body := ""
	eventually(t, "the server is not ready any more", func() (left bool) {
		status, text := get(t, http.MethodGet, p.url+"/readyz", "")
		body = text
		return status == http.StatusServiceUnavailable
	})
	if !strings.Contains(body, `"draining"`) {
		t.Errorf("/readyz while leaving = %s, want draining", body)
	}
	if status, body := get(t, http.MethodGet, p.url+"/healthz", ""); status != http.StatusOK {
		t.Errorf("/healthz while leaving = %d, %s, want 200", status, body)
	}
	if last := p.post(t, "short")(); !strings.Contains(last, `"RUN_FINISHED"`) {
		t.Errorf("a run that began while leaving ended with %s, want RUN_FINISHED", last)
	}
	p.cut(t)
	p.wantExit(t, -1)
}

// A server that leaves drains when its time is over, and ends.
func TestLeavingIsFollowedByDraining(t *testing.T) {
	t.Parallel()
	_, stop := startServer(t, "-drain-delay", "1ms")
	code, log := stop()
	leaving, draining := strings.Index(log, "leaving: not ready any more"), strings.Index(log, "draining")
	if code != exitOK || leaving < 0 || draining < leaving {
		t.Errorf("run() = %d, want %d; its log, which should speak of leaving and then of draining:\n%s", code, exitOK, log)
	}
}
