package teamfile

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// asks is a provider of a model that calls the tool find, and then says its result.
func asks(model.Config) (model.Model, error) {
	return model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
		if last := r.Messages[len(r.Messages)-1]; last.Role == agui.RoleTool {
			return model.Reply{Text: last.Text}, nil
		}
		return model.Reply{Calls: []model.Call{{Name: "find", Arguments: "{}"}}}, nil
	}), nil
}

// TestCallsOfAServerAreMadeAgain lets a real MCP server break off the first calls of a tool.
func TestCallsOfAServerAreMadeAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keys       string
		idempotent bool
		calls      int32
		says       string
	}{
		"with retries":         {", retries: 2, backoff: 1ms", true, 3, "found"},
		"with too few":         {", retries: 1, backoff: 1ms", true, 2, ""},
		"without":              {"", true, 1, ""},
		"what is not repeated": {", retries: 2, backoff: 1ms", false, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sdk.NewServer(&sdk.Implementation{Name: "library"}, nil)
			sdk.AddTool(server, &sdk.Tool{Name: "find", Annotations: &sdk.ToolAnnotations{IdempotentHint: tt.idempotent}},
				func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "found"}}}, nil, nil
				})
			serve := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
			var calls atomic.Int32
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bytes.Contains(body, []byte(`"tools/call"`)) && calls.Add(1) <= 2 {
					panic(http.ErrAbortHandler) // the connection is cut
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				serve.ServeHTTP(w, r)
			}))
			defer h.Close()
			o := testOptions(nil)
			o.Providers, o.Log = map[string]model.Provider{"asks": asks}, slog.New(slog.DiscardHandler)
			team, err := parse("team.yaml", []byte("version: 1\nmodels: { default: { type: asks } }\nmcp: { "+
				"library: { url: \""+h.URL+"\" } }\n"+
				"agents: { a: { type: llm, approve: never, tools: [ { mcp: library"+tt.keys+" } ] } }\n"), o)
			if err != nil {
				t.Fatal(err)
			}
			defer team.Close()
			answer, err := thread.Run(t.Context(), team.Agents["a"], "Find it.")
			if err != nil {
				t.Fatal(err)
			}
			if calls.Load() != tt.calls || (answer.Text == "found") != (tt.says == "found") {
				t.Errorf("after %d calls the agent says %q, want %d and %q", calls.Load(), answer.Text, tt.calls, tt.says)
			}
		})
	}
}
