package gateway_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// One request writes a few short lines into the log, whatever it holds.
func TestARequestCannotFloodTheLog(t *testing.T) {
	t.Parallel()
	var members strings.Builder
	for n := range 10_000 {
		members.WriteString(`,"` + strconv.Itoa(n) + `":0`)
	}
	long := strings.Repeat("x", 500_000)
	whole := func(extra string) string {
		return `{"threadId":"t","runId":"r","tools":[],"context":[],"messages":[{"id":"u","role":"user","content":"Hi"}]` + extra + `}`
	}
	for _, test := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"unknown members", http.MethodPost, "/agents/echo", whole(members.String()), http.StatusOK},
		{"a long member", http.MethodPost, "/agents/echo", whole(`,"` + long + `":0`), http.StatusOK},
		{"unknown members on CopilotKit's route", http.MethodPost, "/api/copilotkit/agent/echo/run", whole(members.String()), http.StatusOK},
		{"unknown members of answers", http.MethodPost, "/threads/t/resume", `{"resume":[{"interruptId":"i","status":"cancelled"` + members.String() + `}]}`, http.StatusNotFound},
		{"a long path", http.MethodGet, "/" + long, "", http.StatusNotFound},
		{"a long path of CopilotKit's", http.MethodGet, "/api/copilotkit/" + long, "", http.StatusNotFound},
		{"a long method", strings.Repeat("X", 500_000), "/agents", "", http.StatusMethodNotAllowed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var log lines
			w := newWorld(t, func(o *gateway.Options) {
				o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				o.Limits.Header = -1 // the log has a separate limit
			})
			if status, body := w.call(test.method, test.path, test.body, "Content-Type", "application/json"); status != test.status {
				t.Fatalf("%d %s, want %d", status, body[:min(200, len(body))], test.status)
			}
			if n, size := log.size(); n > 10 || size > 10_000 {
				t.Errorf("%d lines of %d bytes in all", n, size)
			}
		})
	}
}

// lines is a log that counts.
type lines struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.Write(p)
}

func (l *lines) size() (lines, size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.data.Bytes(), []byte("\n")), l.data.Len()
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.String()
}
