package client_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui/client"
)

// TestThreads reads a conversation and the list of them from a gateway.
func TestThreads(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(_ *upstream, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/threads/trip 1":
			_, _ = io.WriteString(w, `{"id":"trip 1","agent":"the desk","status":"interrupted","title":"Trip","state":{"a":1},"updatedAt":"2026-11-26T01:40:20.832Z",`+
				`"messages":[{"id":"u","role":"user","content":"Hello"}],"interrupts":[{"id":"int_1","reason":"input_required"}],"runs":[]}`)
		case "/threads":
			_, _ = io.WriteString(w, `{"threads":[{"id":"trip 1","agent":"the desk","status":"idle","title":"Trip"}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	c := newClient(t, client.Options{URL: u.URL + "/agents/the%20desk?token=hush", Server: client.ServerGateway})
	thread, err := c.Thread(t.Context(), "trip 1", 20, nil)
	if err != nil || thread.Title != "Trip" || string(thread.State) != `{"a":1}` || thread.Messages[0].Content.Text() != "Hello" || thread.Interrupts[0].ID != "int_1" || thread.UpdatedAt.IsZero() {
		t.Errorf("Thread() = %+v, %v", thread, err)
	}
	if _, err := c.Thread(t.Context(), "nobody's", 0, nil); !errors.Is(err, client.ErrNoThread) {
		t.Errorf("Thread() of an unknown one: %v, want ErrNoThread", err)
	}
	threads, err := c.Threads(t.Context(), 5, nil)
	if err != nil || len(threads) != 1 || threads[0].ID != "trip 1" {
		t.Errorf("Threads() = %+v, %v", threads, err)
	}
	want := []string{"GET /threads/trip%201?agent=the+desk&limit=20", "GET /threads/nobody%27s?agent=the+desk", "GET /threads?agent=the+desk&limit=5"}
	if got := u.requests(); !slices.Equal(got, want) {
		t.Errorf("the gateway was asked %q, want %q", got, want)
	}
}

// TestThreadsOfOthers have no route.
func TestThreadsOfOthers(t *testing.T) {
	t.Parallel()
	for url, agent := range map[string]string{"http://127.0.0.1:1/agent": "agent", "http://127.0.0.1:1/api/agent/desk/run": "desk"} {
		c := newClient(t, client.Options{URL: url})
		_, err := c.Thread(t.Context(), "t", 0, nil)
		_, listErr := c.Threads(t.Context(), 1, nil)
		if !errors.Is(err, client.ErrNoThread) || !errors.Is(listErr, client.ErrNoThread) {
			t.Errorf("%s: %v, %v, want ErrNoThread", url, err, listErr)
		}
		if c.Agent() != agent {
			t.Errorf("the agent of %s is %q, want %q", url, c.Agent(), agent)
		}
	}
}
