package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

func TestWebhookOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, secret, want string }{
		{"https://example.com/hush", "s", ""}, {"example.com/hush", "s", "its URL"}, {"ftp://example.com/hush", "s", "its URL"}, {"https://example.com/hush", "", "no secret"},
	} {
		g, err := gateway.New(gateway.Options{Webhook: gateway.WebhookOptions{URL: tt.url, Secret: tt.secret}})
		if err == nil {
			err = g.Close()
		}
		if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("New(%q, %q) = %v", tt.url, tt.secret, err)
		}
	}
}

// A lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestWebhookLogsWhyItIsNotDelivered: where it was sent, and what the receiver said, without secrets and questions.
func TestWebhookLogsWhyItIsNotDelivered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   []string
	}{
		"refused": {func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, "channel_is_archived, secret %s, you sent %s", hookSecret, body)
		}, []string{"/hook/T0/•••", "status 403", "channel_is_archived"}},
		"hung up": {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, []string{"/hook/T0/•••", "EOF"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.answer)
			t.Cleanup(server.Close)
			var log lockedBuffer
			w := newWorld(t, func(o *gateway.Options) {
				o.Now, o.Log = time.Now, slog.New(slog.NewTextHandler(&log, nil))
				o.Webhook = gateway.WebhookOptions{
					URL:    strings.Replace(server.URL, "http://", "http://ann:pass-word@", 1) + "/hook/T0/XsK81mfP0qLt7Zr5Yh2Jw0Aa?key=" + hookSecret,
					Secret: hookSecret, Retry: time.Hour,
				}
			})
			w.post("ask", input("t", "r", []string{"u:hi"}))
			eventually(t, "it is logged", func() bool { return strings.Contains(log.String(), "webhook: not delivered") })
			for line := range strings.Lines(log.String()) {
				if !strings.Contains(line, "webhook:") {
					continue
				}
				for _, want := range append(tt.want, server.URL) {
					if !strings.Contains(line, want) {
						t.Errorf("the cause lacks %q: %s", want, line)
					}
				}
				for _, secret := range []string{hookSecret, "pass-word", "XsK81mfP", "Which size", "interrupts"} {
					if strings.Contains(line, secret) {
						t.Errorf("the cause tells %q: %s", secret, line)
					}
				}
			}
		})
	}
}
