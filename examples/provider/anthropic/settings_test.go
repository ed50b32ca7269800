package anthropic

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model"
)

// load reads a team file with one model of this provider.
func load(t *testing.T, description string) (*teamfile.Team, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team.yaml")
	text := "version: 1\nmodels:\n  default: " + description + "\nagents: { a: { type: llm } }\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return teamfile.Load(path, teamfile.Options{Log: slog.New(slog.DiscardHandler), Env: func(name string) (string, bool) {
		return map[string]string{"KEY": "sk-ant-hush", "BAD": "sk ant hush"}[name], true
	}})
}

func TestTeamFilesNameTheProvider(t *testing.T) {
	t.Parallel()
	team, err := load(t, `{ type: anthropic, api_key: "${KEY}", model: claude, thinking_tokens: 2000, timeout: 30s, price: { input: 3, output: 15 } }`)
	if err != nil {
		t.Fatal(err)
	}
	m := team.Parts.Models[0].Model
	if provider, name := model.Identify(m); provider+"/"+name != "anthropic/claude" || !model.Reasons(m) {
		t.Errorf("the file's model is %s/%s", provider, name)
	}
	if _, ok := m.(model.Checker); !ok {
		t.Error("the doctor cannot check the model")
	}
}

func TestMistakesHavePlaces(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		`{ type: anthropic }`:                               `team.yaml:3:12: model "default" cannot be used: there is no key`,
		`{ type: anthropic, api_key: "${BAD}", model: m }`:  `team.yaml:3:40: model "default" cannot be used: there is no key, or it has characters`,
		`{ type: anthropic, api_key: k, model: m, max: 1 }`: `team.yaml:3:58: model "default" cannot be used: unknown key; there are api_key, model, base_url`,
		`{ type: anthropic, api_key: k, model: m, timeout: 0s, retries: -1, max_tokens: 0, temperature: 2, thinking_tokens: 5, base_url: "ftp://x", price: { input: -1 } }`: `not a length of time above 0`,
		`{ type: anthropic, api_key: k, model: m, max_tokens: many }`: `a value of another kind belongs here: a whole number`,
		`{ type: anthropics, api_key: k }`:                            `"anthropics" is none of the choices; write openai or anthropic`,
	} {
		_, err := load(t, description)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("Load(%s) error = %v\nwant %s", description, err, want)
		}
	}
	_, err := New(Settings{BaseURL: "ftp://x", MaxTokens: 1, Thinking: 5, Timeout: -1, Retries: -1, Price: &Price{Input: -1}}, http.DefaultClient, nil)
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 7 {
		t.Errorf("New() error = %v, want all seven mistakes", err)
	}
}
