package gateway

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
)

// POST /subgraphs speaks to the agent that says so, also after the agents were replaced.
func TestWhoSubgraphsSpeaksTo(t *testing.T) {
	t.Parallel()
	says := func(text string) groupchat.Agent { return &script.Agent{Steps: []script.Step{{Say: text}}} }
	agents := map[string]groupchat.Agent{"travel": says("Travel."), "desk": says("Desk.")}
	of := func(names ...string) map[string]AgentOptions {
		options := map[string]AgentOptions{}
		for _, name := range names {
			options[name] = AgentOptions{Subgraphs: true}
		}
		return options
	}
	g, err := New(Options{Agents: agents, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	hears := func(want string) {
		t.Helper()
		body := strings.NewReader(`{"threadId":"` + t.Name() + want + `","runId":"r","messages":[{"id":"m","role":"user","content":"Hello"}]}`)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/subgraphs", body)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("POST /subgraphs = %d %s, want %q", w.Code, w.Body, want)
		}
	}
	hears("Travel.")
	if _, err := g.Replace(agents, of("desk")); err != nil {
		t.Fatal(err)
	}
	hears("Desk.")
	if _, err := g.Replace(agents, of("desk", "travel")); err == nil {
		t.Error("two agents are the one of POST /subgraphs")
	}
	hears("Desk.")
}
