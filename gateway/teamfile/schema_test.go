package teamfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model/openai"
)

// schemaPath is the JSON Schema of team files, for editors.
const schemaPath = "../../docs/team.schema.json"

// schemaPart is what the tests look at of a JSON Schema.
type schemaPart struct {
	Ref           string `json:"$ref"`
	Const         any
	Enum          []string
	Items         *schemaPart
	Properties    map[string]*schemaPart
	PropertyNames *schemaPart
	AllOf, AnyOf  []*schemaPart
	If, Then      *schemaPart
	Required      []string
	Additional    json.RawMessage `json:"additionalProperties"`
	Definitions   map[string]*schemaPart
}

func readSchema(t *testing.T) (raw []byte, root *schemaPart) {
	t.Helper()
	raw, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	return raw, root
}

// keys are those that a mapping may have.
func (p *schemaPart) keys() []string { return slices.Sorted(maps.Keys(p.Properties)) }

// byType are the keys that each type of the mapping may have.
func (p *schemaPart) byType() map[string][]string {
	keys := map[string][]string{}
	for _, rule := range p.AllOf {
		name := "agent"
		if kind := rule.If.Properties["type"]; kind != nil {
			name, _ = kind.Const.(string)
		}
		keys[name] = slices.Sorted(slices.Values(rule.Then.PropertyNames.Enum))
	}
	return keys
}

// mapping is the alternative of p that is one.
func (p *schemaPart) mapping(t *testing.T) *schemaPart {
	t.Helper()
	for _, one := range append(p.AnyOf, p) {
		if one.Properties != nil {
			return one
		}
	}
	t.Fatal("the schema has no mapping where one is looked for")
	return nil
}

// TestSchemaKeys wants the loader and the schema to know the same keys, kind by kind.
func TestSchemaKeys(t *testing.T) {
	t.Parallel()
	_, root := readSchema(t)
	d := root.Definitions
	want := map[string][]string{
		"a team file":                 root.keys(),
		"model":                       d["model"].keys(),
		"model list":                  d["model_list"].keys(),
		"a cache":                     d["cache"].keys(),
		"a price":                     d["price"].keys(),
		"a budget":                    d["budget"].keys(),
		"state":                       d["chat_state"].keys(),
		"the state of a remote agent": d["remote_state"].keys(),
		"history":                     d["history"].keys(),
		"keep":                        d["history"].Properties["keep"].keys(),
		"a condition":                 d["condition"].keys(),
		"select":                      d["selection"].keys(),
		"the review of a plan":        d["plan_review"].keys(),
		"a comparison":                d["comparison"].keys(),
		"a guardrail":                 d["guardrail"].keys(),
		"a rule":                      d["manager"].Properties["rules"].Items.keys(),
		"on_error":                    d["participant"].Properties["on_error"].mapping(t).keys(),
		"review":                      d["participant"].Properties["review"].mapping(t).keys(),
		"an answer":                   d["participant"].Properties["on_ask"].Items.keys(),
		"typed_answers":               d["agent"].Properties["typed_answers"].mapping(t).keys(),
		"attachments":                 d["agent"].Properties["attachments"].mapping(t).keys(),
		"a tool of a model":           d["specialist"].keys(),
		"the tools of a server":       d["server_tools"].keys(),
		"suggestions":                 d["agent"].Properties["suggestions"].mapping(t).keys(),
		"a suggestion":                d["suggestion_list"].Items.mapping(t).keys(),
		"an HTTP tool":                d["http_tool"].keys(),
		"the request of a tool":       d["http_tool"].Properties["http"].keys(),
		"a prediction":                d["prediction"].keys(),
		"a resource":                  d["server_resource"].keys(),
		"a prompt":                    d["server_prompt"].keys(),
		"a tool of the program":       d["program_tool"].keys(),
		"a tool for surfaces":         d["surface_tool"].keys(),
		"a2ui":                        d["surface_options"].keys(),
		"a contract":                  d["contract"].keys(),
		"mcp":                         d["server"].keys(),
		"a step":                      d["step"].keys(),
		"a question":                  d["question"].keys(),
		"set":                         d["step"].Properties["set"].keys(),
		"tool":                        d["step"].Properties["tool"].keys(),
		"fail":                        d["step"].Properties["fail"].keys(),
		"call":                        d["step"].Properties["call"].keys(),
		"when":                        d["step"].Properties["when"].keys(),
		"each":                        d["step"].Properties["each"].keys(),
		"a tool of the file":          d["written_tool"].keys(),
	}
	var override *schemaPart
	if err := json.Unmarshal(d["manager"].Properties["overrides"].Additional, &override); err != nil {
		t.Fatal(err)
	}
	want["an override"] = override.keys()
	for kind, part := range map[string]*schemaPart{"agent ": d["agent"], "participant ": d["participant"], "manager ": d["manager"]} {
		all := map[string]bool{}
		for name, keys := range part.byType() {
			want[kind+name] = keys
			for _, key := range keys {
				all[key] = true
			}
		}
		if diff := cmp.Diff(part.keys(), slices.Sorted(maps.Keys(all))); diff != "" {
			t.Errorf("the schema of %sdescribes keys that no type has, or the reverse (-described +of "+
				"types):\n%s", kind, diff)
		}
	}

	got := askedKeys(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the schema knows is not what the loader asks for (-schema +loader):\n%s", diff)
	}
}

// askedKeys returns the keys that the reader asks for in the team files of testdata, by the kind of mapping.
func askedKeys(t *testing.T) map[string][]string {
	t.Helper()
	got := map[string][]string{}
	for name, data := range teamFiles(t) {
		b := newBuilder(name, testOptions(testEnv))
		b.asked = func(kind string, keys []string) {
			got[kind] = slices.Compact(slices.Sorted(slices.Values(append(got[kind], keys...))))
		}
		if root := b.parseYAML(data); root != nil && b.nodes <= maxNodes {
			b.build(root)
		}
	}
	for kind, keys := range got {
		// A participant is an agent of the file or one written there; with both it is a mistake that has a text of its
		// own.
		if of, ok := strings.CutPrefix(kind, "participant "); ok && of != "agent" && of != "agui" {
			got[kind] = slices.DeleteFunc(keys, func(key string) bool { return key == "agent" })
		}
	}
	got["a tool of a model"] = slices.DeleteFunc(got["a tool of a model"], func(key string) bool { return key == "mcp" }) // likewise
	delete(got, "agent agent")                                                                                            // without a type the keys are incomplete
	return got
}

// testEnv has the variables of good files.
var testEnv = map[string]string{
	"ANTHROPIC_API_KEY": "key", "GREETING": "Good day", "ROUNDS": "8", "EMPTY": "", "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
	"UPSTREAM_TOKEN": "token", "UPSTREAM_URL": "http://127.0.0.1:1/agents/x",
}

// teamFiles are the team files of testdata, by name.
func teamFiles(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("Glob() = %v, %v", paths, err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "team.yaml" {
				files[filepath.Base(path)] = file.Data
			}
		}
	}
	return files
}

// TestSchemaAccepts wants every file that the loader takes to be good by the schema: those of the tests, of the
// examples, of README.md, of docs/get-started.md and of the manual, and the starter.
func TestSchemaAccepts(t *testing.T) {
	t.Parallel()
	schema := compileTeamSchema(t)
	files := teamFiles(t)
	paths, err := filepath.Glob("../../examples/teams/*/*.yaml")
	if err != nil || len(paths) < 5 {
		t.Fatalf("Glob() = %v, %v, want the examples", paths, err)
	}
	recipes, err := filepath.Glob("../../examples/coming-from/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(append(paths, recipes...), func(path string) bool { return strings.HasSuffix(path, "_test.yaml") }) // conversations
	for _, path := range append(paths, "../../cmd/gateway/starter.yaml") {
		if files[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for i, block := range manualBlocks(t) {
		files[fmt.Sprintf("docs/teams block %d", i)] = []byte(block)
	}
	for _, page := range []string{"README.md", "docs/get-started.md"} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		_, block, _ := strings.Cut(string(text), "<!-- tested: team -->\n```yaml\n")
		block, _, _ = strings.Cut(block, "```")
		files[page] = []byte(block)
	}
	good := 0
	for name, data := range files {
		o := testOptions(testEnv)
		o.Model = openai.Options{Key: "key", Name: "m"}
		o.Hooks = map[string]groupchat.Hooks{"audit": {Name: "audit"}}
		_, err := parse(name, data, o)
		strict := !strings.HasSuffix(name, ".txtar")
		if err != nil {
			if strict {
				t.Errorf("%v\n%s", err, data)
			}
			continue
		}
		good++
		r := reader{file: name}
		if err := schema.Validate(plainJSON(t, r.parseYAML(data))); err != nil {
			t.Errorf("%s is good, and not by the schema: %v", name, err)
		}
	}
	if good < 20 {
		t.Errorf("only %d files are good", good)
	}
}

// TestSchemaRefuses wants the schema to see what it can see.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := compileTeamSchema(t)
	for name, text := range map[string]string{
		"another version":       "version: 2\nagents: { a: { type: travel } }",
		"no agents":             "version: 1\nagents: {}",
		"a key of another type": "version: 1\nagents: { a: { type: travel, steps: [ { say: x } ] } }",
		"an unknown type":       "version: 1\nagents: { a: { type: robot } }",
		"a URL of no kind":      "version: 1\nagents: { a: { type: agui, url: 'ftp://x' } }",
		"no manager": "version: 1\nagents: { a: { type: groupchat, participants: [ { name: x, agent: a " +
			"} ] } }",
		"both agent and type": "version: 1\nagents: { a: { type: concurrent, participants: [ { name: x, agent: " +
			"a, type: travel } ] } }",
		"another manager's key": "version: 1\nagents: { a: { type: groupchat, manager: { type: sequential, rules: " +
			"[] }, participants: [ { name: x, agent: a } ] } }",
		"no pointer":              "version: 1\nagents: { a: { type: llm, sees: [ notes ] } }",
		"two things in one step":  "version: 1\nagents: { a: { type: script, steps: [ { say: x, sleep: 1s } ] } }",
		"a duration without unit": "version: 1\nagents: { a: { type: travel, run_timeout: 10 } }",
		"a remote's state":        "version: 1\nagents: { a: { type: agui, url: 'http://x', state: { client: [] } } }",
	} {
		r := reader{file: name}
		if schema.Validate(plainJSON(t, r.parseYAML([]byte(text)))) == nil {
			t.Errorf("%s is good by the schema", name)
		}
		if _, err := parse(name, []byte(text), testOptions(testEnv)); err == nil {
			t.Errorf("%s is good for the loader", name)
		}
	}
}

func compileTeamSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw, _ := readSchema(t)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///team.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mem:///team.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// plainJSON is what an editor's language server makes of n: variables are not expanded.
func plainJSON(t *testing.T, n *Value) any {
	t.Helper()
	switch n.kind {
	case listNode:
		list := []any{}
		for _, item := range n.items {
			list = append(list, plainJSON(t, item))
		}
		return list
	case mappingNode:
		object := map[string]any{}
		for i, key := range n.keys {
			object[key.text] = plainJSON(t, n.items[i])
		}
		return object
	default:
	}
	switch n.tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.text, "true")
	case "!!int", "!!float":
		if json.Valid([]byte(n.text)) {
			return json.Number(n.text)
		}
	}
	return n.text
}

// manualPages are the texts of the chapters of the manual, docs/teams/*.md, in the order of their names.
func manualPages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../../docs/teams/*.md")
	if err != nil || len(paths) < 10 {
		t.Fatalf("Glob() = %v, %v, want the chapters of the manual", paths, err)
	}
	var pages []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(text))
	}
	return pages
}

// manualBlocks are the YAML blocks of the manual. Each of them has to be a whole file.
func manualBlocks(t *testing.T) []string {
	t.Helper()
	var blocks []string
	for _, page := range manualPages(t) {
		for _, block := range teamBlock.FindAllStringSubmatch(page, -1) {
			text := block[1]
			for strings.HasPrefix(text, "#") { // a comment for the reader
				_, text, _ = strings.Cut(text, "\n")
			}
			if !strings.HasPrefix(text, "version: 1\n") || !strings.Contains(text, "\nagents:\n") {
				t.Errorf("a block of the manual is not a whole file:\n%s", text)
			}
			blocks = append(blocks, text)
		}
	}
	return blocks
}
