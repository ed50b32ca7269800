package teamtest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/state"
)

// schemaFile is the JSON Schema of conversations, for editors.
const schemaFile = "../../../docs/conversation.schema.json"

// A schemaPart is what the tests look at of it.
type schemaPart struct {
	AnyOf       []*schemaPart
	Properties  map[string]json.RawMessage
	Definitions map[string]*schemaPart
}

// keys are those that a mapping of the kind may have.
func (p *schemaPart) keys() []string {
	for _, one := range append(p.AnyOf, p) {
		if one.Properties != nil {
			return slices.Sorted(maps.Keys(one.Properties))
		}
	}
	return nil
}

// conversations are all in testdata and in the examples, by name.
func conversations(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, "_test.yaml") {
				all[file+"/"+f.Name] = f.Data
			}
		}
	}
	examples, err := find("../../../examples/teams")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples {
		if all[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestSchemaKeys wants the reader and the schema to know the same keys, kind by kind.
func TestSchemaKeys(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root schemaPart
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	asked := map[string][]string{}
	for name, data := range conversations(t) {
		c := &conversation{file: name, data: data, doc: teamfile.ReadDocument(name, data), env: map[string]string{}}
		c.doc.Asked(func(kind string, keys []string) { asked[kind] = slices.Sorted(slices.Values(keys)) })
		c.read()
	}
	want := map[string][]string{"conversation": root.keys()}
	for kind, part := range root.Definitions {
		want[kind] = part.keys()
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("the reader knows other keys (-schema +reader):\n%s", diff)
	}
}

// TestSchemaTakesWhatIsPlayed holds each conversation to the schema, which must not refuse one that the reader takes.
func TestSchemaTakesWhatIsPlayed(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	taken, refused := 0, 0
	for name, data := range conversations(t) {
		var value any
		if err := yaml.Unmarshal(data, &value); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		good := parse(name, data).doc.Err() == nil
		err = state.ValidateAnswer(schema, raw)
		switch {
		case good && err != nil:
			t.Errorf("%s: the schema refuses it: %v", name, err)
		case good:
			taken++
		case err != nil:
			refused++
		}
	}
	if taken < 10 || refused < 1 {
		t.Errorf("the schema takes %d conversations and refuses %d", taken, refused)
	}
}
