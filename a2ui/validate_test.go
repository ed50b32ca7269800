package a2ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

// componentsOf reads a list of components.
func componentsOf(t testing.TB, text string) []json.RawMessage {
	t.Helper()
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestValidateComponents(t *testing.T) {
	t.Parallel()
	known, err := ReadCatalogue(json.RawMessage(`{"catalogId":"c","components":{
		"Row":{"properties":{"children":{}}},
		"Card":{"required":["name"],"properties":{"name":{}}},
		"Modal":{"allOf":[{"required":["trigger"],"properties":{"trigger":{"format":"componentRef"}}}]},
		"Tabs":{"properties":{"tabs":{"type":"array","items":{"properties":{"child":{"format":"componentRef"},"more":{"format":"componentRefList"}}}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, components string
		catalogue        Catalogue
		want             []string
	}{
		{"one", `[{"id":"root","component":"Text"}]`, Catalogue{}, nil},
		{"a template", `[{"id":"root","component":"Row","children":{"componentId":"card","path":"/items"}},{"id":"card","component":"Any"}]`, Catalogue{}, nil},
		{"none", `[]`, Catalogue{}, []string{CodeEmpty}},
		{"no object", `[1]`, Catalogue{}, []string{CodeNoID, CodeNoType, CodeNoRoot}},
		{"no root", `[{"id":"a","component":"Text"}]`, Catalogue{}, []string{CodeNoRoot}},
		{"no type", `[{"id":"root","component":1}]`, Catalogue{}, []string{CodeNoType}},
		{"twice", `[{"id":"root","component":"Text"},{"id":"root","component":"Text"}]`, Catalogue{}, []string{CodeDuplicate}},
		{"a child that is not there", `[{"id":"root","component":"Row","children":["a"]}]`, Catalogue{}, []string{CodeNoChild}},
		{"a template that is not there", `[{"id":"root","component":"Row","children":{"componentId":"a","path":"/x"}}]`, Catalogue{}, []string{CodeNoChild}},
		{"itself", `[{"id":"root","component":"Row","child":"root"}]`, Catalogue{}, []string{CodeCycle}},
		{"a circle", `[{"id":"root","component":"Row","child":"a"},{"id":"a","component":"Row","children":["root"]}]`, Catalogue{}, []string{CodeCycle}},
		{"a circle beside", `[{"id":"root","component":"Row"},{"id":"a","component":"Row","child":"b"},{"id":"b","component":"Row","child":"a"}]`, Catalogue{}, []string{CodeCycle}},
		{"an unknown component", `[{"id":"root","component":"Script"}]`, known, []string{CodeUnknown}},
		{"what is required", `[{"id":"root","component":"Card"}]`, known, []string{CodeMissing}},
		{"what is required by a part", `[{"id":"root","component":"Modal"}]`, known, []string{CodeMissing}},
		{"a marked reference", `[{"id":"root","component":"Modal","trigger":"a"}]`, known, []string{CodeNoChild}},
		{"a reference in a list", `[{"id":"root","component":"Tabs","tabs":[{"child":"a","more":["b"]}]}]`, known, []string{CodeNoChild, CodeNoChild}},
		{"an unmarked text", `[{"id":"root","component":"Card","name":"nobody"}]`, known, nil},
		{"HTML stays text", `[{"id":"root","component":"Text","text":"<script>alert(1)</script>"}]`, Catalogue{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			problems := ValidateComponents(componentsOf(t, test.components), test.catalogue)
			var got []string
			for _, p := range problems {
				got = append(got, p.Code)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("problems %v, want %v: %v", got, test.want, problems)
			}
		})
	}
}

func TestWhatIsTooLargeIsNotDrawn(t *testing.T) {
	t.Parallel()
	many := func(n int) []json.RawMessage {
		list := []json.RawMessage{json.RawMessage(`{"id":"root","component":"Text"}`)}
		for i := 1; i < n; i++ {
			list = append(list, json.RawMessage(fmt.Sprintf(`{"id":"c%d","component":"Text"}`, i)))
		}
		return list
	}
	chain := func(n, times int) []json.RawMessage { // each contains the next one several times
		list := many(n)
		for i := range n - 1 {
			id := fmt.Sprintf("c%d", i)
			if i == 0 {
				id = "root"
			}
			list[i] = json.RawMessage(fmt.Sprintf(`{"id":%q,"component":"Row","children":[%s]}`, id,
				strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`"c%d",`, i+1), times), ",")))
		}
		return list
	}
	for name, test := range map[string]struct {
		components []json.RawMessage
		refused    bool
	}{
		"as many as there may be":         {many(MaxComponents), false},
		"one more":                        {many(MaxComponents + 1), true},
		"fifty thousand":                  {many(50_000), true},
		"too many bytes":                  {append(many(2), json.RawMessage(`{"id":"x","component":"Text","text":"`+strings.Repeat("x", MaxSurface)+`"}`)), true},
		"as deep as there may be":         {chain(MaxDepth, 1), false},
		"deeper":                          {chain(MaxDepth+1, 1), true},
		"a few that are drawn for ever":   {chain(40, 2), true},
		"a few that are drawn repeatedly": {chain(8, 2), false},
	} {
		problems := ValidateComponents(test.components, Catalogue{})
		if refused := len(problems) > 0; refused != test.refused || refused && problems[0].Code != CodeTooLarge {
			t.Errorf("%s: %v", name, problems)
		}
	}
	if _, err := ReadCatalogue(json.RawMessage(`{"components":{},"x":"` + strings.Repeat("x", 2<<20) + `"}`)); err == nil {
		t.Error("a catalogue of 2 MiB is read")
	}
	if c := OfContext([]agui.Context{{Description: CatalogueContext, Value: strings.Repeat(" ", 2<<20)}}); c.Components != nil {
		t.Error("a page's catalogue of 2 MiB is read")
	}
}

func TestDesignsWhoseDataAreNone(t *testing.T) {
	t.Parallel()
	d := Design{Components: componentsOf(t, `[{"id":"root","component":"Text"}]`), Data: json.RawMessage(`[1]`)}
	if told := Told(d.Validate(Catalogue{})); !strings.Contains(told, CodeNotData) || !strings.Contains(told, CodeNoID) {
		t.Error(told)
	}
}

func FuzzValidateComponents(f *testing.F) {
	for _, seed := range []string{`[]`, `[{"id":"root","component":"Row","child":"root"}]`, `[{"id":"root","component":"Row","children":[{"componentId":"a"}]}]`, `[null,1]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var list []json.RawMessage
		if json.Unmarshal([]byte(text), &list) != nil {
			return
		}
		problems := ValidateComponents(list, Catalogue{})
		if len(problems) > maxProblems {
			t.Errorf("%d problems", len(problems))
		}
		if problems == nil && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return strings.Contains(string(raw), "o") }) {
			t.Errorf("%s has no root", text)
		}
	})
}
