package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	shellBlock  = regexp.MustCompile("(?ms)^```(?:sh|bash|console)?\n(.*?)^```|((?:^    \\S.*\n)+)")
	gatewayCall = regexp.MustCompile(`(?m)(?:^|[\s/|;(])gateway((?: [^#|;&<>()\n]*)?)`)
)

// TestCommandLinesOfTheDocsWork checks that each flag of a `gateway` command in a block of a document exists.
func TestCommandLinesOfTheDocsWork(t *testing.T) {
	t.Parallel()
	documents := []string{"../../README.md", "../../SECURITY.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	takes := map[string][]string{}
	for _, cmd := range commands() {
		takes[cmd.name] = slices.Clone(cmd.settings)
		for _, s := range cmd.settingsOf(&config{}) {
			takes[cmd.name] = append(takes[cmd.name], s.flag)
		}
	}
	flags := 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlock.FindAllString(string(text), -1) {
			block = strings.ReplaceAll(block, "\\\n", " ")
			for _, call := range gatewayCall.FindAllStringSubmatch(block, -1) {
				words := strings.Fields(call[1])
				name := "serve"
				if len(words) > 0 && takes[words[0]] != nil {
					name, words = words[0], words[1:]
				} else if len(words) == 0 || !strings.HasPrefix(words[0], "-") {
					continue // a sentence, or a name
				}
				for _, word := range words {
					flag, isFlag := strings.CutPrefix(word, "-")
					flag, _, _ = strings.Cut(strings.Trim(strings.TrimPrefix(flag, "-"), "[]`'\","), "=")
					if !isFlag || flag == "" || flag == "h" || flag == "help" {
						continue
					}
					flags++
					if !slices.Contains(takes[name], flag) {
						t.Errorf("%s: gateway %s takes no -%s: %s", filepath.Base(document), name, flag, strings.TrimSpace(call[0]))
					}
				}
			}
		}
	}
	if flags < 50 {
		t.Errorf("found %d flags, want those of all documents", flags)
	}
}
