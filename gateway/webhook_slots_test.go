package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
)

// A hook is a receiver without a socket: it accepts the notices of threads unless their name is refused.
type hook struct {
	refused string // prefix

	mu       sync.Mutex
	attempts int
	taken    []string // threads
}

func (h *hook) RoundTrip(r *http.Request) (*http.Response, error) {
	var d struct{ Thread string }
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attempts++
	if h.refused != "" && strings.HasPrefix(d.Thread, h.refused) {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}, nil
	}
	h.taken = append(h.taken, d.Thread)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// options are those of a gateway that tells h, and keeps notices in a store like store.
func (h *hook) options(store func(state.Store) state.Store) func(*gateway.Options) {
	return func(o *gateway.Options) {
		o.Store = store(o.Store)
		o.Webhook = gateway.WebhookOptions{
			URL: "http://hook.test/", Secret: hookSecret, Retry: time.Hour, Client: &http.Client{Transport: h},
		}
	}
}

// Notices that the store did not take wait for their next attempt without keeping others from their first.
func TestWebhookIsNotBlockedByOldNotices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hook{refused: "old"}
		d := newDesktop(t, h.options(func(m state.Store) state.Store { return forgetful{m} }))
		defer d.close()
		for n := range 20 {
			d.serve(newSink(), "POST", "/agents/ask", input("old"+strconv.Itoa(n), "r1", []string{"u1:Hi"}))
		}
		if h.attempts != 20 {
			t.Errorf("%d of 20 notices were sent", h.attempts)
		}
		d.serve(newSink(), "POST", "/agents/ask", input("new", "r1", []string{"u1:Hi"}))
		if len(h.taken) != 1 {
			t.Errorf("taken are the notices of %v, want new", h.taken)
		}
	})
}

// A hanging store does not answer who wants to keep a notice.
type hanging struct{ state.Store }

func (s hanging) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	if r.Key.Agent != ".webhook" {
		return s.Store.Begin(ctx, r, o)
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// A run does not wait for long until its notice is kept, and the notice is sent all the same.
func TestWebhookDoesNotHoldUpTheEndOfARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hook{}
		d := newDesktop(t, h.options(func(m state.Store) state.Store { return hanging{m} }))
		defer d.close()
		d.serve(newSink(), "POST", "/agents/ask", input("t", "r1", []string{"u1:Hi"}))
		time.Sleep(2*time.Second + time.Millisecond)
		if got := d.status("ask"); got != state.RunInterrupt {
			t.Errorf("the run is %s, want %s", got, state.RunInterrupt)
		}
		if len(h.taken) != 1 {
			t.Errorf("taken are the notices of %v, want t", h.taken)
		}
	})
}
