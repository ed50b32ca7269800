package teamfile

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// writtenKey is a key of a block of YAML.
var writtenKey = regexp.MustCompile(`(?m)(?:^|[\s{,-])([a-z_0-9]+):(?:\s|$)`)

// TestEveryKeyHasAnExample in a block of the manual, all of which are loaded by TestSchemaAccepts.
func TestEveryKeyHasAnExample(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	models, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(manualPages(t), string(models)) {
		for i, part := range strings.Split(text, "```") {
			if i%2 == 0 || !strings.HasPrefix(part, "yaml") {
				continue
			}
			for _, m := range writtenKey.FindAllStringSubmatch(part, -1) {
				shown[m[1]] = true
			}
		}
	}
	_, root := readSchema(t)
	keys := map[string]bool{}
	root.collect(keys)
	if len(keys) < 100 {
		t.Fatalf("the schema has %d keys", len(keys))
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !shown[key] {
			t.Errorf("no block of the manual has the key %q", key)
		}
	}
}

// collect adds the names of all properties below p.
func (p *schemaPart) collect(keys map[string]bool) {
	if p == nil {
		return
	}
	for name, part := range p.Properties {
		keys[name] = true
		part.collect(keys)
	}
	for _, part := range slices.Concat(p.AllOf, p.AnyOf, []*schemaPart{p.Items, p.If, p.Then}, slices.Collect(maps.Values(p.Definitions))) {
		part.collect(keys)
	}
}
