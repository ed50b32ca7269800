package teamfile

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// manualRuns has what each agent of the manual's examples does when somebody says hello.
const manualRuns = "testdata/manual.runs"

// teamBlock matches a block of YAML in a document.
var teamBlock = regexp.MustCompile("(?s)```ya?ml\n(.*?)```")

// exampleFiles are the blocks of the manual, and all blocks of the other documents that have agents.
func exampleFiles(t *testing.T) []string {
	t.Helper()
	all := manualBlocks(t)
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append(documents, "../../README.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range teamBlock.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(block[1], "\nagents:\n") {
				all = append(all, block[1])
			}
		}
	}
	return all
}

// TestTheManualsExamplesRun runs each agent of each example in the documents with scripted models and without their
// servers. It compares texts, questions, calls and states with a file, which -update writes.
func TestTheManualsExamplesRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	agents := 0
	for _, block := range exampleFiles(t) {
		o := testOptions(testEnv)
		o.Model.Key, o.Model.Name = "key", "stock"
		o.Hooks = map[string]groupchat.Hooks{"audit": {Name: "audit"}}
		o.Substitutes = Substitutes{
			Model:  func(string, model.Model) model.Model { return &stock{} },
			Server: func(string) *http.Client { return away },
			HTTP:   func(string) *http.Client { return away },
			Remote: func(string) *http.Client { return away },
		}
		team, err := parse("team.yaml", []byte(block), o)
		if err != nil {
			t.Fatalf("%v in\n%s", err, block)
		}
		all := merged(team.Agents, team.Unserved)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			agents++
			fmt.Fprintf(&out, "%s: %s\n", name, played(t, all[name]))
		}
		if err := team.Close(); err != nil {
			t.Error(err)
		}
	}
	if agents < 40 {
		t.Errorf("played %d agents, want those of all examples", agents)
	}
	if *update {
		if err := os.WriteFile(manualRuns, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(manualRuns)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("the examples do something else (-want +got):\n%s", diff)
	}
}

// played is what an agent does when somebody says hello, in a line.
func played(t *testing.T, agent groupchat.Agent) string {
	t.Helper()
	result, err := thread.New(agent, thread.Options{}).Say(t.Context(), "Hello")
	if err != nil {
		return "fails with " + string(errcode.Of(err))
	}
	var did []string
	for _, m := range result.Messages {
		if text := m.Content.Text(); m.Role == "assistant" && text != "" {
			did = append(did, strings.TrimPrefix(m.Name+" says "+text, " "))
		}
	}
	slices.Sort(did) // participants may work at once
	did = slices.Compact(did)
	for _, q := range result.Questions {
		did = append(did, "asks "+q.Key)
	}
	for _, c := range result.Calls {
		did = append(did, "calls "+c.Name)
	}
	if state := string(result.State); state != "{}" {
		did = append(did, "the state is "+state)
	}
	return strings.ReplaceAll(strings.Join(did, "; "), "\n", " ")
}

// away is the client of a server that is not there.
var away = &http.Client{Transport: refusing{}}

type refusing struct{}

func (refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("%s is away", r.URL.Host)
}

// stock is a model that says the same each time: one text, an instance of the schema, and as a manager each participant
// once.
type stock struct {
	mu      sync.Mutex
	choices int
}

func (s *stock) Stream(_ context.Context, r model.Request, d model.Deltas) (model.Reply, error) {
	text := "Words."
	if r.Schema != nil {
		var schema map[string]any
		if err := json.Unmarshal(r.Schema, &schema); err != nil {
			return model.Reply{}, err
		}
		value := instance(schema)
		if choice, ok := value.(map[string]any); ok && choice["next_speaker"] != nil {
			s.mu.Lock()
			names := schema["properties"].(map[string]any)["next_speaker"].(map[string]any)["enum"].([]any)
			choice["terminate"] = s.choices >= len(names)-1 // the last one is null
			choice["next_speaker"] = names[s.choices%len(names)]
			s.choices++
			s.mu.Unlock()
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return model.Reply{}, err
		}
		text = string(raw)
	}
	if d.Text != nil {
		if err := d.Text(text); err != nil {
			return model.Reply{}, err
		}
	}
	return model.Reply{Text: text, Finish: "stop"}, nil
}

// instance is a value that matches a schema, as far as the manual's have it.
func instance(schema map[string]any) any {
	if enum, ok := schema["enum"].([]any); ok {
		return enum[0]
	}
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok {
		kind = kinds[0]
	}
	switch kind {
	case "object":
		value := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			value[name] = instance(property.(map[string]any))
		}
		return value
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{instance(items)}
	case "integer", "number":
		return 1
	case "boolean":
		return true
	}
	return "words"
}
