package teamfile

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model/openai"
)

// librarian serves a server of texts and a model that repeats its instructions, and returns an agent that has the
// keys.
func librarian(t *testing.T, server, keys string) groupchat.Agent {
	t.Helper()
	texts := sdk.NewServer(&sdk.Implementation{Name: "files"}, nil)
	texts.AddResource(&sdk.Resource{URI: "test:///rules", Name: "rules"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test:///rules", Text: "Be kind, {{input}}."}}}, nil
	})
	texts.AddPrompt(&sdk.Prompt{Name: "review", Arguments: []*sdk.PromptArgument{{Name: "tone"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Be " + r.Params.Arguments["tone"] + "."}}}}, nil
		})
	files := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return texts }, nil))
	t.Cleanup(files.Close)
	t.Cleanup(files.CloseClientConnections)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) == 0 {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		said, _ := json.Marshal(asked.Messages[0].Content)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"choices":[{"index":0,"delta":{"content":` + string(said) + `},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
	}))
	t.Cleanup(provider.Close)
	path := filepath.Join(t.TempDir(), "team.yaml")
	text := "version: 1\nmcp: { files: { url: " + files.URL + server + " } }\nagents: { librarian: { type: llm, " +
		"" + keys + " } }\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	team, err := Load(path, Options{HTTP: client, Model: openai.Options{BaseURL: provider.URL, Name: "m"}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = team.Close() })
	return team.Agents["librarian"]
}

// TestTextsOfServers wants them unchanged behind the instructions.
func TestTextsOfServers(t *testing.T) {
	t.Parallel()
	const both = `instructions: Review., resources: [ { mcp: files, uri: "test:///rules" } ], prompts: [ { mcp: files, prompt: review, arguments: { tone: brief } } ]`
	for name, tt := range map[string]struct {
		server, keys, want string
		code               errcode.Code
	}{
		"both": {keys: both, want: "Review.\n\nBe brief.\n\nThis is test:///rules:\nBe kind, {{input}}."},
		"a resource that is not there": {
			keys: `resources: [ { mcp: files, uri: "test:///none" } ]`, want: "test:///none cannot be read now. " +
				"Where it is needed, say so.",
		},
		"a prompt that is not there": {keys: `instructions: Review., prompts: [ { mcp: files, prompt: none } ]`, want: "Review."},
		"a required server": {server: ", required: on", keys: both, want: "Review.\n\nBe brief.\n\nThis is " +
			"test:///rules:\nBe kind, {{input}}."},
		"a resource of a required server that is not there": {
			server: ", required: on", keys: `resources: [ { mcp: files, uri: "test:///none" } ]`, code: errcode.ToolFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := thread.Run(t.Context(), librarian(t, tt.server, tt.keys), "hello")
			if code := errcode.Of(err); err != nil && code != tt.code || err == nil && tt.code != "" {
				t.Fatalf("Run() = %v, want the code %q", err, tt.code)
			}
			if err == nil && strings.TrimSpace(r.Text) != tt.want {
				t.Errorf("the model was told %q, want %q", r.Text, tt.want)
			}
		})
	}
}
