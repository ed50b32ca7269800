package teamfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// foreignPage has the table of foreign.txt for readers.
const foreignPage = "../../docs/teams/mistakes.md"

// A foreignRow is a line of foreign.txt about keys.
type foreignRow struct{ place, words, here string }

func foreignRows(t *testing.T) (rows []foreignRow) {
	t.Helper()
	for line := range strings.Lines(foreignText) {
		part := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		if len(part) == 3 && part[0] != "value" && part[0] != "long" {
			rows = append(rows, foreignRow{part[0], part[1], part[2]})
		}
	}
	if len(rows) < 40 {
		t.Fatalf("foreign.txt has %d rows", len(rows))
	}
	return rows
}

// TestForeignWordsAreOnThePage wants the page to have each row of the table. With -update it writes the rows.
func TestForeignWordsAreOnThePage(t *testing.T) {
	t.Parallel()
	places := map[string]string{"agent": "an agent, a participant", "team": "the file", "manager": "a manager", "model": "a model", "mcp": "an MCP server"}
	var rows strings.Builder
	for _, row := range foreignRows(t) {
		words := "`" + strings.ReplaceAll(row.words, " ", "` `") + "`"
		fmt.Fprintf(&rows, "| %s | %s | %s |\n", words, places[row.place], row.here)
	}
	data, err := os.ReadFile(foreignPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "| --- | --- | --- |\n", "\n<!-- end of the table -->"
	before, rest, _ := strings.Cut(string(data), begin)
	table, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no table", foreignPage)
	}
	if *update {
		if err := os.WriteFile(foreignPage, []byte(before+begin+rows.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(rows.String(), table); diff != "" {
		t.Errorf("the page has another table (-code +page):\n%s", diff)
	}
}

// TestForeignWordsLeadToKeys wants each translation to name keys of team files, and no word to be a key where it is
// translated.
func TestForeignWordsLeadToKeys(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	collectKeys(schema, known)
	asked := askedKeys(t)
	code, word := regexp.MustCompile("`([^`]+)`"), regexp.MustCompile(`([a-z_]+):|^([a-z_]+)$`)
	seen := map[string]bool{}
	for _, row := range foreignRows(t) {
		for _, span := range code.FindAllStringSubmatch(row.here, -1) {
			for _, key := range word.FindAllStringSubmatch(span[1], -1) {
				if name := key[1] + key[2]; !known[name] {
					t.Errorf("%s: %q is no key of a team file", row.words, name)
				}
			}
		}
		for _, name := range strings.Fields(row.words) {
			if seen[row.place+" "+name] {
				t.Errorf("%s has %q twice", row.place, name)
			}
			seen[row.place+" "+name] = true
			for kind, keys := range asked {
				// A mapping without a known type is read for foreign words only, which an agent of the file may be.
				if row.place == "agent" && strings.HasPrefix(kind, "agent ") && slices.Contains(keys, name) {
					t.Errorf("%q is a key of %s and is translated there", name, kind)
				}
			}
		}
	}
}

// collectKeys notes the names of the properties of a JSON Schema, at any depth.
func collectKeys(schema any, known map[string]bool) {
	switch v := schema.(type) {
	case []any:
		for _, item := range v {
			collectKeys(item, known)
		}
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			for name := range properties {
				known[name] = true
			}
		}
		for _, inner := range v {
			collectKeys(inner, known)
		}
	}
}

// TestGuessesAreBounded wants a file with a great many unknown words to be read as soon as any other.
func TestGuessesAreBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("version: 1\nagents:\n")
	for i := range 600 {
		fmt.Fprintf(&text, "  agent%d: { type: groupchat, manager: sequential, participants: [ agnet%d ] }\n", i, i)
	}
	b := newBuilder("team.yaml", testOptions(nil))
	b.build(b.parseYAML([]byte(text.String())))
	guessed := 0
	for _, p := range b.problems {
		if strings.Contains(p.Text, "did you mean") {
			guessed++
		}
	}
	if len(b.problems) != 600 || guessed == 0 || guessed > maxGuesses {
		t.Errorf("%d problems with %d guesses, want 600 with at most %d", len(b.problems), guessed, maxGuesses)
	}
}

// TestPaths has the path of a problem in each place of a file.
func TestPaths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"version: 1\nagents: { a: { type: robot } }":                                                                              "agents.a.type",
		"version: 1\nagents: { a: { type: script, steps: [ { say: x }, { sy: y } ] } }":                                           "agents.a.steps[1].sy",
		"version: 1\n\"a b\": 1\nagents: { a: { type: travel } }":                                                                 `["a b"]`,
		"version: 1\n\"" + strings.Repeat("k", 400) + "\": 1\nagents: { a: { type: travel } }":                                    "…" + strings.Repeat("k", maxPath),
		"version: 1\nagents: {}\n":                                                                                                "agents",
		"agents: { a: { type: travel } }":                                                                                         "",
		"version: 1\nagents: { a: { type: concurrent, participants: [ { name: x, type: travel }, { name: x, type: travel } ] } }": "agents.a.participants[1].name",
	} {
		_, err := parse("t", []byte(text), testOptions(nil))
		var bad *Error
		if !errors.As(err, &bad) || bad.Problems[0].Path != want {
			t.Errorf("%.60s: the problems are %v, want one at %q", text, err, want)
		}
	}
}
