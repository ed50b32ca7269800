package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// TestAgentsOfARuntime wants an agent to be named once, and of runtimes only.
func TestAgentsOfARuntime(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		o    client.Options
		want string // where runs are posted; empty if that cannot be said
	}{
		{client.Options{URL: "http://h/api/copilotkit/", Server: client.ServerCopilotKit, Agent: "a b/.."}, "http://h/api/copilotkit/agent/a%20b%2F%2E%2E/run"},
		{client.Options{URL: "http://h/agent/a/run", Server: client.ServerCopilotKit}, "http://h/agent/a/run"},
		{client.Options{URL: "http://h/agent/a/run"}, "http://h/agent/a/run"},
		{client.Options{URL: "http://h/agent/a/run", Server: client.ServerCopilotKit, Agent: "a"}, ""},
		{client.Options{URL: "http://h/api/copilotkit", Server: client.ServerCopilotKit}, ""},
		{client.Options{URL: "http://h/api/copilotkit", Agent: "a"}, ""},
		{client.Options{URL: "http://h/agents/a", Server: client.ServerGateway, Agent: "a"}, ""},
	} {
		c, err := client.New(tc.o)
		switch {
		case (err == nil) != (tc.want != ""):
			t.Errorf("%+v: error %v", tc.o, err)
		case err == nil && c.String() != tc.want:
			t.Errorf("%+v: runs are posted to %s, want %s", tc.o, c, tc.want)
		}
	}
}

// TestRuntimeOfASingleRoute runs an agent, is stopped, and probes, with a runtime that refuses all requests except
// envelopes: with any of the statuses that such runtimes use.
func TestRuntimeOfASingleRoute(t *testing.T) {
	t.Parallel()
	for _, refusal := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed} {
		u := newUpstream(t, func(u *upstream, w http.ResponseWriter, r *http.Request) {
			body := u.lastBody()
			switch {
			case r.Method != http.MethodPost, strings.Contains(r.URL.Path, "/agent/"):
				w.WriteHeader(refusal)
			case strings.HasPrefix(body, `{"method":"info"`):
				_, _ = io.WriteString(w, `{"agents":{"a b":{}}}`)
			case strings.HasPrefix(body, `{"method":"agent/run","params":{"agentId":"a b"},"body":{"threadId":"t"`):
				stream(w, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)
				<-r.Context().Done()
			}
		})
		o := client.Options{URL: u.URL + "/base", Server: client.ServerCopilotKit, Agent: "a b"}
		c := newClient(t, o)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		request := client.Request{Input: agui.RunAgentInput{ThreadID: "t", RunID: "r"}}
		for _, err := range c.Run(ctx, request) {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%d: %v", refusal, err)
			}
			stop()
		}
		want := []string{"POST /base/agent/a%20b/run", "POST /base", "POST /base", "POST /base"}
		if diff := cmp.Diff(want, u.requests()); diff != "" {
			t.Errorf("%d: (-want +got):\n%s", refusal, diff)
		}
		if last, want := u.lastBody(), `{"method":"agent/stop","params":{"agentId":"a b","threadId":"t"},"body":{"runId":"r"}}`; last != want {
			t.Errorf("%d: it was stopped by %s, want %s", refusal, last, want)
		}
		if err := newClient(t, o).Probe(t.Context(), nil); err != nil {
			t.Errorf("%d: Probe() = %v", refusal, err)
		}
		o.Agent = "b"
		if err := newClient(t, o).Probe(t.Context(), nil); !errors.Is(err, client.ErrNoAgent) {
			t.Errorf("%d: Probe() of another agent = %v", refusal, err)
		}
	}
}
