package client_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui/client"
)

// TestAServerThatIsAwayIsAskedAgain has a server that cannot say at first what it is.
func TestAServerThatIsAwayIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusUnauthorized, http.StatusTooManyRequests} {
		var asked atomic.Int64
		u := newUpstream(t, func(_ *upstream, w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == 1 {
				w.WriteHeader(status)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"identity":{"type":"gateway"}}`)
		})
		c := newClient(t, client.Options{URL: u.URL + "/agents/a"})
		for i, want := range []client.ServerKind{client.ServerOther, client.ServerGateway, client.ServerGateway} {
			if got := c.Server(t.Context(), nil); got != want {
				t.Errorf("%d: the server is %v the %d. time, want %v", status, got, i+1, want)
			}
		}
		if n := asked.Load(); n != 2 {
			t.Errorf("%d: the server is asked %d times, want 2", status, n)
		}
	}
}

// TestARunThatIsRefusedIsNotStopped has a gateway that answers a run with a status: nothing is at work there.
func TestARunThatIsRefusedIsNotStopped(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(_ *upstream, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/capabilities") {
			w.WriteHeader(http.StatusConflict)
		}
		_, _ = io.WriteString(w, `{"identity":{"type":"gateway"}}`)
	})
	c := newClient(t, client.Options{URL: u.URL + "/agents/a"})
	var r client.Request
	r.Input.ThreadID, r.Input.RunID = "t", "r"
	var last error
	for _, err := range c.Run(t.Context(), r) {
		last = err
	}
	if last == nil {
		t.Error("the run has no error")
	}
	if got := u.requests(); slices.ContainsFunc(got, func(r string) bool { return strings.Contains(r, "/stop") }) {
		t.Errorf("the server was asked %q", got)
	}
}
