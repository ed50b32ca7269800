package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// TestNothingReachesRefusedAddresses gives every setting with a URL one of a local listener, under an address that no
// client may connect to. The listener is reached only if the setting allows the address.
func TestNothingReachesRefusedAddresses(t *testing.T) {
	t.Parallel()
	const script = "agents: { travel: { type: script, steps: [ { ask: { key: k, message: Which? } } ] } }"
	tests := []struct{ name, file, env string }{
		{"model", "models: { m: { base_url: \"http://ADDRESS/v1\", model: m, retries: 0 } }\nagents: { travel: { type: llm, model: m } }", ""},
		{"remote agent", "agents: { travel: { type: agui, url: \"http://ADDRESS/agent\" } }", ""},
		{"A2A", "agents: { travel: { type: a2a, url: \"http://ADDRESS\" } }", ""},
		{"LangGraph", "agents: { travel: { type: langgraph, url: \"http://ADDRESS\", assistant: a } }", ""},
		{"MCP server", "models: { m: { base_url: \"http://127.0.0.1:1/v1\", model: m, retries: 0 } }\nmcp: { s: { url: \"http://ADDRESS/mcp\" } }\n" +
			"agents: { travel: { type: llm, model: m, tools: [ { mcp: s } ] } }", ""},
		{"HTTP tool", "models: { m: { base_url: \"MODEL/v1\", model: m, retries: 0 } }\n" +
			"agents: { travel: { type: llm, model: m, tools: [ { name: look, description: Looks, http: { url: \"http://ADDRESS/latest\" } } ] } }", ""},
		{"issuer", script, "GATEWAY_AUTH=jwt\nGATEWAY_JWT_ISSUER=http://ADDRESS\nGATEWAY_JWT_AUDIENCE=us\n"},
		{"webhook", script,
			"GATEWAY_INTERRUPT_WEBHOOK=http://ADDRESS/hook\nGATEWAY_INTERRUPT_WEBHOOK_SECRET=s\n"},
	}
	model := httptest.NewServer(openaitest.Serve(openaitest.Calls("look", "{}")))
	t.Cleanup(model.Close)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, allowed := range []string{"", "169.254.169.254, 0.0.0.0"} {
				var reached atomic.Int32
				listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					reached.Add(1)
					w.WriteHeader(http.StatusNoContent)
				}))
				_, port, err := net.SplitHostPort(listener.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				at := func(text string) string {
					return strings.NewReplacer("ADDRESS", "0.0.0.0:"+port, "MODEL", model.URL).Replace(text)
				}
				url, stop := startServer(t, "-config", writeFile(t, "team.yaml", "version: 1\n"+at(tt.file)+"\n"), "-env-file", writeFile(t, "env", at(tt.env)),
					"-allow-addresses", allowed, "-drain", "1s")
				if status := runWithToken(t, url); (status == http.StatusServiceUnavailable) != (tt.name == "issuer") {
					t.Errorf("POST = %d", status)
				}
				code, log := stop()
				listener.Close()
				if refused := strings.Contains(log, "metadata address, which is refused"); code != exitOK || refused != (allowed == "") || (reached.Load() > 0) == refused {
					t.Errorf("with -allow-addresses %q it was reached %d times, run() = %d, its log:\n%s", allowed, reached.Load(), code, log)
				}
			}
		})
	}
}

// runWithToken runs the agent travel with the token {"alg":"RS256","kid":"a"}, {"iss":"x"}, which cannot be checked
// without the issuer's keys.
func runWithToken(t *testing.T, url string) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/agents/travel", strings.NewReader(input("t")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJ4In0.AAAA")
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Error(err)
	}
	return response.StatusCode
}
