package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var (
	deployDir   = filepath.Join("..", "..", "deploy")
	chartSchema = filepath.Join(deployDir, "helm", "agui-gateway", "values.schema.json")
	ourVariable = regexp.MustCompile(`\b(GATEWAY|OPENAI)_[A-Z_]*[A-Z]\b`)
)

// TestDeploymentNamesWhatThereIs looks up each variable that a deployment file sets: a misspelt one would have no
// effect.
func TestDeploymentNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	known := map[string]bool{
		webhookSecret: true,
		"GATEWAY_BIN": true, // of scripts: where a built gateway is
	}
	for _, s := range (&config{}).settings() {
		for _, name := range s.environment() {
			known[name] = true
		}
	}
	seen := 0
	look := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range ourVariable.FindAllString(string(text), -1) {
			seen++
			if !known[name] {
				t.Errorf("%s names %s, which is no setting", path, name)
			}
		}
	}
	err := filepath.WalkDir(deployDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() { // the chart has links to files that are looked at where they are
			look(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"Dockerfile", "docs/deploy.md", "examples/replicas/compose.yaml", "examples/replicas/run.sh"} {
		look(filepath.Join("..", "..", filepath.FromSlash(path)))
	}
	if seen < 50 {
		t.Errorf("found %d variables in deployment files, want 50 or more", seen)
	}
}

// chartSets are the settings with separate keys in the chart's values, and secrets.
var chartSets = []string{
	"addr", "admin-addr", "admin-auth", "auth", "auth-header", "auth-proxies", "auth-roles-header", "config", "drain", "drain-delay", "env-file", "jwks-url", "jwt-audience",
	"jwt-issuer", "keys-file", "model-key", "store", "store-limit", "tls-cert", "tls-key",
}

// TestChartTakesEverySetting holds the schema of the chart's values to the settings: each can be set, and by one way.
// With -update it writes them there.
func TestChartTakesEverySetting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(chartSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	settings := schema["properties"].(map[string]any)["settings"].(map[string]any)
	want := map[string]any{}
	for _, s := range (&config{}).settings() {
		if !slices.Contains(chartSets, s.flag) {
			want[s.flag] = map[string]any{"description": s.help, "type": []any{"string", "integer", "boolean"}}
		}
	}
	if *update {
		settings["properties"] = want
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(schema); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(chartSchema, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, _ := settings["properties"].(map[string]any)
	if have, should := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(have, should) {
		t.Errorf("%s takes the settings %q, want %q: go test ./cmd/gateway -run Chart -update", chartSchema, have, should)
	}
	for flag, is := range got {
		if a, b := is.(map[string]any)["description"], want[flag].(map[string]any)["description"]; a != b {
			t.Errorf("%s says of %s: %q, want %q: go test ./cmd/gateway -run Chart -update", chartSchema, flag, a, b)
		}
	}
}
