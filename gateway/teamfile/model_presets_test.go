package teamfile

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/anthropic"
	"github.com/agui-gateway/gateway/model/openai"
)

// askedBy loads a team with one model and returns the first request that the model makes.
func askedBy(t *testing.T, entry string, env map[string]string) *http.Request {
	t.Helper()
	var asked *http.Request
	o := testOptions(env)
	o.Log = slog.New(slog.DiscardHandler)
	o.Model = openai.Options{BaseURL: "http://settings.example/v1", Key: "settings-key", HTTP: &http.Client{Transport: firstRequest{&asked}}}
	team, err := parse("team.yaml", []byte("version: 1\nmodels:\n  default: "+entry+"\nagents: { a: { type: llm } }\n"), o)
	if err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
	_, _ = team.Parts.Models[0].Model.Stream(t.Context(), model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "Hi"}}}, model.Deltas{})
	return asked
}

// A firstRequest client notes the first request and answers none.
type firstRequest struct{ asked **http.Request }

func (f firstRequest) RoundTrip(r *http.Request) (*http.Response, error) {
	if *f.asked == nil {
		*f.asked = r
	}
	return &http.Response{StatusCode: http.StatusTeapot, Body: io.NopCloser(strings.NewReader("")), Header: http.Header{}, Request: r}, nil
}

// TestPresets asks each known server: at its URL, with the key of its variable and no other.
func TestPresets(t *testing.T) {
	t.Parallel()
	for _, p := range openai.Presets() {
		if p.BaseURL == "" || p.Name == builtIn {
			continue
		}
		env := map[string]string{"AWS_REGION": "eu-central-1", "OPENAI_API_KEY": "other-key"}
		key := ""
		if p.KeyVariable != "" {
			env[p.KeyVariable] = "key-of-" + p.Name
			key = "Bearer " + env[p.KeyVariable]
		}
		r := askedBy(t, "{ provider: "+p.Name+", model: m }", env)
		want := strings.ReplaceAll(p.BaseURL, "${AWS_REGION}", "eu-central-1") + "/chat/completions"
		if got := r.URL.String(); got != want || r.Header.Get("Authorization") != key {
			t.Errorf("%s is asked at %s with %q, want %s with %q", p.Name, got, r.Header.Get("Authorization"), want, key)
		}
	}
}

// TestKeysBelongToTheirServers wants no key to be sent to a server that it is not for.
func TestKeysBelongToTheirServers(t *testing.T) {
	t.Parallel()
	env := map[string]string{"GEMINI_API_KEY": "gemini-key", "ANTHROPIC_API_KEY": "anthropic-key", "WHO": "gemini"}
	for entry, want := range map[string]string{
		`{ provider: gemini, model: m }`:                                      "generativelanguage.googleapis.com Bearer gemini-key",
		`{ provider: "${WHO}", model: m }`:                                    "generativelanguage.googleapis.com Bearer gemini-key",
		`{ provider: gemini, model: m, api_key: mine }`:                       "generativelanguage.googleapis.com Bearer mine",
		`{ provider: gemini, model: m, base_url: "http://proxy.example/v1" }`: "proxy.example ",
		`{ provider: mine, model: m, base_url: "http://mine.example/v1" }`:    "mine.example ",
		`{ provider: ollama, model: m }`:                                      "127.0.0.1:11434 ",
		`{ provider: openai, model: m }`:                                      "settings.example Bearer settings-key",
		`{ provider: openai, model: m, api_key: mine }`:                       "api.openai.com Bearer mine",
		`{ model: m }`:                                     "settings.example Bearer settings-key",
		`{ provider: anthropic, model: m }`:                "api.anthropic.com anthropic-key",
		`{ type: anthropic, model: m }`:                    "api.anthropic.com anthropic-key",
		`{ provider: anthropic, model: m, api_key: mine }`: "api.anthropic.com mine",
		`{ type: anthropic, model: m, api_key: k, base_url: "http://proxy.example" }`: "proxy.example k",
	} {
		r := askedBy(t, entry, env)
		if got := r.URL.Host + " " + r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); got != want {
			t.Errorf("%s asks %s, want %s", entry, got, want)
		}
	}
}

// TestMistakesInProviders lists the known providers for an unknown one, and says which key is missing.
func TestMistakesInProviders(t *testing.T) {
	t.Parallel()
	const all = "anthropic, azure, bedrock, cerebras, clumsy, deepseek, fireworks, gemini, groq, huggingface, llama.cpp, lmstudio, mistral, mute, ollama, openai, openrouter, parrot, registered, together, vllm or xai"
	for entry, want := range map[string]string{
		`{ provider: gemnii, model: m }`:                                  `3:24: "gemnii" is none of the choices`,
		`{ provider: gemnii, model: m, api_key: k }`:                      `write ` + all,
		`{ type: gemnii, model: m }`:                                      `write ` + all,
		`{ type: gemini, model: m }`:                                      `3:20: "gemini" is a provider with OpenAI's API; write ` + "`provider: gemini`" + `, and no type`,
		`{ provider: gemini, model: m }`:                                  `3:24: there is no key for gemini; set GEMINI_API_KEY in the environment, or write ` + "`api_key`",
		`{ provider: groq, model: m }`:                                    `3:24: the value holds line ends, control characters or white space around it`,
		`{ provider: bedrock, model: m, api_key: k }`:                     `3:24: ${AWS_REGION} is not set in the environment`,
		`{ provider: azure, model: m, api_key: k }`:                       `has neither a base URL nor a key for the default one`,
		`{ provider: anthropic, model: m }`:                               `3:12: model "default" cannot be used: there is no key; set ANTHROPIC_API_KEY, or write one`,
		`{ provider: anthropic, model: m, base_url: "http://x" }`:         `there is no key; set ANTHROPIC_API_KEY, or write one`,
		`{ provider: anthropic, model: m, api_key: k, top_k: 5 }`:         `unknown key; there are api_key, model, base_url, max_tokens`,
		`{ provider: anthropic, model: m, api_key: k, type: registered }`: `unknown key`,
	} {
		_, err := parse("team.yaml", []byte("version: 1\nmodels:\n  default: "+entry+"\nagents: { a: { type: llm } }\n"), testOptions(map[string]string{"GROQ_API_KEY": "hush hush\n"}))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: error %v\nwant %s", entry, err, want)
		}
	}
}

// TestPresetsAreOnThePage wants the page to have the URL and the variable of each known server, and an entry.
func TestPresetsAreOnThePage(t *testing.T) {
	t.Parallel()
	page := readPage(t)
	for _, p := range openai.Presets() {
		want := "| `" + p.Name + "` | `" + p.BaseURL + "`"
		if p.KeyVariable != "" {
			want += "; `" + p.KeyVariable + "`"
		} else if p.BaseURL == "" {
			want = "| `" + p.Name + "` | of the account"
		}
		if !strings.Contains(page, want+" |") && !strings.Contains(page, want+"; no key |") {
			t.Errorf("the page has no row %s", want)
		}
	}
}

// TestSchemaOfAnthropic wants the schema to have the keys of the provider.
func TestSchemaOfAnthropic(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Definitions map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"definitions"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	want := []string{"cache", "provider", "type"}
	for f := range reflect.TypeFor[anthropic.Options]().Fields() {
		if name := f.Tag.Get("json"); name != "-" {
			want = append(want, name)
		}
	}
	got := slices.Sorted(maps.Keys(schema.Definitions["anthropic_model"].Properties))
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), got); diff != "" {
		t.Errorf("keys (-options +schema):\n%s", diff)
	}
}
