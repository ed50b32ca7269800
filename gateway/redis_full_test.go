package gateway_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A Redis that refuses writes ends the runs that have something to write, like one that is away: readers get an error,
// the log has its reason, and the replicas are not ready. When it accepts writes again the runs continue.
func TestARedisThatRefusesWrites(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		setting, on, off string
		reason           string // how its answers begin
	}{
		"full":                          {"maxmemory", "1mb", "0", "OOM "},
		"without the replicas it needs": {"min-replicas-to-write", "1", "0", "NOREPLICAS "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			client := server.Client()
			var log lockedBuffer
			a, b := twins(t, server.URL(), func(o *gateway.Options) {
				o.Lease, o.StoreBuffer, o.Log = 3*time.Second, 2*time.Second, slog.New(slog.NewTextHandler(&log, nil))
			})
			poster := a.open("POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
			poster.until(agui.TypeCustom)
			watcher := b.open("GET", "/threads/t/events?protocolVersion=1.0", "")
			watcher.until(agui.TypeRunStarted)

			if err := client.ConfigSet(t.Context(), test.setting, test.on).Err(); err != nil {
				t.Fatal(err)
			}
			a.release()
			for reader, r := range map[string]*reader{"who posted": poster, "who watches": watcher} {
				r.rest()
				if code := r.code(); code != string(errcode.StoreUnavailable) {
					t.Errorf("%s is told %q", reader, code)
				}
			}
			if !strings.Contains(log.String(), test.reason) {
				t.Errorf("the log does not say why:\n%s", log.String())
			}
			for _, w := range []*world{a, b} {
				if status, _ := w.call("GET", "/readyz", ""); status != http.StatusServiceUnavailable {
					t.Errorf("GET /readyz = %d, want 503", status)
				}
				if r := w.open("POST", "/agents/echo", input("new", "r1", []string{"u1:Hi"})); r.response.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("a new run = %d, want 503", r.response.StatusCode)
				}
			}

			if err := client.ConfigSet(t.Context(), test.setting, test.off).Err(); err != nil {
				t.Fatal(err)
			}
			a.release()
			b.release() // the replica that took over
			for _, w := range []*world{a, b} {
				w.ready()
				if d := w.idle("t"); d.Status != string(state.StatusIdle) {
					t.Errorf("the thread is %s, want idle", d.Status)
				}
			}
		})
	}
}
