package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var variable = regexp.MustCompile(`\b(?:GATEWAY|OPENAI|REDIS)_[A-Z_]*[A-Z]\b`)

// TestVariablesOfTheDocs compares variables of the environment: docs/settings.md has each one of the server, and each
// one that a document names exists.
func TestVariablesOfTheDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{webhookSecret: true}
	for _, s := range (&config{}).settings() {
		for _, name := range s.environment() {
			known[name] = true
		}
	}
	for name := range known {
		if !strings.Contains(string(page), name) {
			t.Errorf("docs/settings.md does not have %s", name)
		}
	}
	for _, cmd := range commands() {
		for _, s := range cmd.settingsOf(&config{}) {
			known[s.env()] = true
		}
	}
	named := 0
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		documents, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range variable.FindAllString(string(text), -1) {
				named++
				if !known[name] && filepath.Base(document) != "CHANGELOG.md" { // it names former ones
					t.Errorf("%s names %s, which nothing reads", document, name)
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("the documents name variables %d times, want those of all pages", named)
	}
}
