package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui/client"
)

// TestHints requests a run from servers of other kinds and probes them: they are recognised by their routes, once, and
// get none of the client's headers.
func TestHints(t *testing.T) {
	t.Parallel()
	for route, tc := range map[string]struct{ body, answer, want string }{
		"GET /x/info":                      {"", `{"agents":{}}`, "CopilotKit"},
		"POST /x":                          {`{"method":"info"}`, `{"agents":{}}`, "CopilotKit"},
		"GET /info":                        {"", `{"version":"1.0.0","flags":{}}`, "LangGraph"},
		"GET /.well-known/agent-card.json": {"", `{"name":"a","skills":[]}`, "A2A"},
		"GET /x/models":                    {"", `{"object":"list","data":[]}`, "model's server"},
		"GET /v1/models":                   {"", `{"object":"list","data":[]}`, "model's server"},
		"POST /x ":                         {`{"id":1,"jsonrpc"`, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n", "MCP"},
		"GET /else":                        {"", `{}`, ""},
	} {
		u := newUpstream(t, func(u *upstream, w http.ResponseWriter, r *http.Request) {
			body := u.lastBody()
			if r.Header.Get("Authorization") != "" && !strings.HasPrefix(body, "{\"threadId\"") && body != "{}" {
				t.Errorf("%s %s was sent a secret", r.Method, r.URL.Path)
			}
			if r.Method+" "+r.URL.Path == strings.TrimSpace(route) && strings.HasPrefix(body, tc.body) && (tc.body != "" || body == "") {
				_, _ = io.WriteString(w, tc.answer)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		})
		c := newClient(t, client.Options{URL: u.URL + "/x", Headers: http.Header{"Authorization": {"Bearer secret"}}})
		_, _, err := collect(t.Context(), c, client.Request{})
		asked := len(u.requests())
		if err == nil || tc.want == "" && strings.Contains(err.Error(), "answers there") || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want a hint at %q", route, err, tc.want)
		}
		if err := c.Probe(t.Context(), nil); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: Probe() = %v", route, err)
		}
		if more := len(u.requests()) - asked; more != 1 {
			t.Errorf("%s: the probe took %d requests, want only its own", route, more)
		}
	}
}

// TestAHintIsLookedForAgain if whoever asked first did not wait for it.
func TestAHintIsLookedForAgain(t *testing.T) {
	t.Parallel()
	impatient, leave := context.WithCancel(t.Context())
	u := newUpstream(t, func(_ *upstream, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/x/info" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if impatient.Err() == nil {
			leave()
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, `{"agents":{}}`)
	})
	c := newClient(t, client.Options{URL: u.URL + "/x"})
	if _, _, err := collect(impatient, c, client.Request{}); err == nil || strings.Contains(err.Error(), "answers there") {
		t.Fatalf("the first error is %v", err)
	}
	if _, _, err := collect(t.Context(), c, client.Request{}); err == nil || !strings.Contains(err.Error(), "CopilotKit") {
		t.Errorf("the second error is %v, want a hint", err)
	}
}
