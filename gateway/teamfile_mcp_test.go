package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model/openai"
)

// weatherDesk serves an agent desk, with the keys of desk besides its type, and a server of tools called weather. asked
// gets the city of each call of its tool look; the model calls that as w_look.
func weatherDesk(t *testing.T, desk string) (w *world, asked chan string) {
	t.Helper()
	type query struct {
		City string `json:"city"`
	}
	tools := sdk.NewServer(&sdk.Implementation{Name: "weather"}, nil)
	asked = make(chan string, 10)
	sdk.AddTool(tools, &sdk.Tool{Name: "look"}, func(_ context.Context, _ *sdk.CallToolRequest, q query) (*sdk.CallToolResult, any, error) {
		asked <- q.City
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Sunny in " + q.City + "."}}}, nil, nil
	})
	sdk.AddTool(tools, &sdk.Tool{Name: "other"}, func(context.Context, *sdk.CallToolRequest, query) (*sdk.CallToolResult, any, error) {
		return nil, nil, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tools }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "hush" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	provider := httptest.NewServer(&calling{tool: "w_look", arguments: `{"city":"Oslo"}`, only: strings.Contains(desk, "only:")})
	t.Cleanup(provider.Close)

	path := filepath.Join(t.TempDir(), "team.yaml")
	text := "version: 1\nmcp: { weather: { url: " + server.URL + ", headers: { x-key: hush } } }\n" +
		"agents: { desk: { type: llm, " + desk + " } }\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := teamfile.Load(path, teamfile.Options{Model: openai.Options{BaseURL: provider.URL, Name: "m", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := team.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "desk" }), asked
}

// TestTeamUsesServers lets a model of a team file call a tool of an MCP server, with arguments that a person has
// edited.
func TestTeamUsesServers(t *testing.T) {
	t.Parallel()
	w, asked := weatherDesk(t, "tools: [ { mcp: weather, only: [ look ], prefix: w_ } ], approve: [ w_look ]")
	w.post("desk", input("t", "r1", []string{"u:How is the weather?"}))
	d := w.thread("t")
	if len(d.Interrupts) != 1 || d.Interrupts[0].Reason != "tool_call" || len(asked) != 0 {
		t.Fatalf("the thread asks %+v, and the tool was called %d times, want one approval first", d.Interrupts, len(asked))
	}
	w.post("desk", input("t", "r2", []string{"u:How is the weather?"}, `"resume":[{"interruptId":`+quote(d.Interrupts[0].ID)+
		`,"status":"resolved","payload":{"approved":true,"editedArgs":{"city":"Rome"}}}]`))
	d = w.thread("t")
	var result string
	for _, m := range d.Messages {
		if m.Role == agui.RoleTool {
			result = m.Content.Text()
		}
	}
	if city := receive(t, "the tool is called", asked); city != "Rome" || len(asked) != 0 || result != "Sunny in Rome." || d.Runs[0].Status != "success" {
		t.Errorf("the tool was asked for %s, the result is %q, the run %+v", city, result, d.Runs[0])
	}
}

// TestApprovalNamesATool with its prefix, without it, or wrongly: a person is asked each time.
func TestApprovalNamesATool(t *testing.T) {
	t.Parallel()
	for _, desk := range []string{
		"tools: [ { mcp: weather, prefix: w_, only: [ look ] } ], approve: [ look ]",
		"tools: [ { mcp: weather, prefix: w_ } ], approve: [ w_look ]",
		"tools: [ { mcp: weather, prefix: w_ } ], approve: [ look ]",
		"tools: [ { mcp: weather, prefix: w_ } ], approve: [ lock ]",
	} {
		t.Run(desk, func(t *testing.T) {
			t.Parallel()
			w, asked := weatherDesk(t, desk)
			w.post("desk", input("t", "r1", []string{"u:How is the weather?"}))
			if d := w.thread("t"); len(d.Interrupts) != 1 || len(asked) != 0 {
				t.Errorf("the thread asks %+v, and the tool was called %d times, want one approval first", d.Interrupts, len(asked))
			}
		})
	}
}

// A calling model calls its tool, and says something when it has the result.
type calling struct {
	tool, arguments string
	only            bool // it is offered no other
}

func (c *calling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	delta, reason := `{"content":"Take a hat."}`, "stop"
	if strings.Contains(b.String(), `"name":"w_other"`) && c.only {
		http.Error(w, "{}", http.StatusTeapot) // it was not to be offered
		return
	}
	if !strings.Contains(b.String(), `"role":"tool"`) {
		delta = `{"tool_calls":[{"index":0,"id":"x","function":{"name":` + quote(c.tool) + `,"arguments":` + quote(c.arguments) + `}}]}`
		reason = "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write([]byte(`data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":"` + reason + "\"}]}\n\ndata: [DONE]\n\n"))
}
