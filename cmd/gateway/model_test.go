package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestDefaultModel serves the demo with a model: by flag and by environment, and with a key that its server refuses.
func TestDefaultModel(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(answerAsModel))
	t.Cleanup(model.Close)
	const script = "speaks from its script"
	tests := []struct {
		name, agents string // a file's, none means no file
		args         []string
		env          string // an -env-file's
		want         string
	}{
		{name: "flags", args: []string{"-model-url", model.URL, "-model-key", "hush-hush"}, want: `"delta":"The model "`},
		{name: "environment", env: "OPENAI_BASE_URL=" + model.URL + "\nOPENAI_API_KEY=hush-hush", want: `"delta":"The model "`},
		{name: "another key", args: []string{"-model-url", model.URL, "-model-key", "hush-other"}, want: `"code":"model_auth"`},
		{name: "a file without models", args: []string{"-model-url", model.URL, "-model-key", "hush-hush"},
			agents: "agents: { travel: { type: llm } }", want: `"delta":"The model "`},
		{name: "a file that names the variables", args: []string{"-model-url", model.URL, "-model-key", "hush-hush", "-model", "m1"},
			agents: "models: { default: { base_url: \"${OPENAI_BASE_URL}\", api_key: \"${OPENAI_API_KEY}\", model: \"${OPENAI_MODEL}\" } }\nagents: { travel: { type: travel } }",
			want:   `"model":"m1"`},
		{name: "a key is for its own server", args: []string{"-model-key", "hush-hush"},
			agents: "models: { default: { base_url: \"" + model.URL + "\", retries: 0 } }\nagents: { travel: { type: llm } }", want: `"code":"model_auth"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-voice-delay", "0"}, tt.args...)
			if tt.env != "" {
				args = append(args, "-env-file", writeFile(t, "env", tt.env))
			}
			if tt.agents != "" {
				args = append(args, "-config", writeFile(t, "team.yaml", "version: 1\n"+tt.agents+"\n"))
			}
			url, stop := startServer(t, args...)
			status, body := get(t, http.MethodPost, url+"/agents/travel", input("t"))
			code, log := stop()
			if status != http.StatusOK || !strings.Contains(body, tt.want) || strings.Contains(body, "hush") {
				t.Errorf("POST = %d, %s, want %s and no secret", status, body, tt.want)
			}
			if code != exitOK || strings.Contains(log, script) || strings.Contains(log, "hush") {
				t.Errorf("run() = %d, its log speaks of a script or holds a secret:\n%s", code, log)
			}
		})
	}
	// A file may be checked with a key that is given on the command line.
	path := writeFile(t, "team.yaml", "version: 1\nagents: { a: { type: llm } }\n")
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"validate", "-config", path, "-model-key", "hush"}, environment(nil), &out, &log); code != exitOK {
		t.Errorf("validate = %d, %s", code, &log)
	}
}
