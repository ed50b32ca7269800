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
		{"a call", `[{"id":"root","component":"Text","text":{"call":"formatString","args":{"value":"${formatDate(value: /day, format: 'd (EEE)')} at ${/place} (incl. ${ pluralize (value:/n)})"}}}]`, Catalogue{}, nil},
		{"a call of the catalogue's", `[{"id":"root","component":"Row","text":{"call":"mine","args":{}}}]`, Catalogue{Functions: []string{"mine"}}, nil},
		{"a member of that name", `[{"id":"root","component":"Phone","call":"+1"}]`, Catalogue{}, nil},
		{"a call without a function", `[{"id":"root","component":"Text","text":{"call":["openUrl"],"args":{}}}]`, Catalogue{}, []string{CodeFunction}},
		{"an unknown call", `[{"id":"root","component":"Text","text":{"call":"mine"}}]`, Catalogue{}, []string{CodeFunction}},
		{"a call of openUrl that the catalogue has", `[{"id":"root","component":"Text","text":{"call":"openUrl","args":{}}}]`, Catalogue{Functions: []string{"openUrl"}}, []string{CodeFunction}},
		{"an address that a press opens", `[{"id":"root","component":"Button","action":{"functionCall":{"call":"openUrl","args":{"url":"http://x"}}}}]`, Catalogue{}, nil},
		{"a call in what a press opens", `[{"id":"root","component":"Button","action":{"functionCall":{"call":"openUrl","args":{"url":{"call":"openUrl","args":{}}}}}}]`, Catalogue{}, []string{CodeFunction}},
		{"an action that is a call", `[{"id":"root","component":"Button","action":{"c\u0061ll":"openUrl","args":{"url":"http://x"}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a name that looks like an action", `[{"id":"root","component":"Text","text":{"call":"not","args":{"components[0].action.functionCall":{"call":"openUrl"}}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a regular expression", `[{"id":"root","component":"TextField","checks":[{"condition":{"call":"regex","args":{"pattern":"^(a+)+$"}}}]}]`, Catalogue{}, []string{CodeFunction}},
		{"a call in a call", `[{"id":"root","component":"Text","text":{"call":"not","args":{"value":{"call":"openUrl","args":{}}}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a call in a text", `[{"id":"root","component":"Text","text":{"call":"formatString","args":{"value":"a ${openUrl\u00a0(url:'x')}"}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a call in a call of a text", `[{"id":"root","component":"Text","text":{"call":"formatString","args":{"value":"${not(value:${openUrl(url:'}')})}"}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a call behind an escaped one", `[{"id":"root","component":"Text","text":{"call":"formatString","args":{"value":"\\${ ' ${openUrl(url:'x')}"}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a text in a text", `[{"id":"root","component":"Text","text":{"call":"formatString","args":{"value":"${formatString(value:'\\${open\\Url()}')}"}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a text of the data", `[{"id":"root","component":"Text","text":{"call":"formatString","args":{"value":{"path":"/x"}}}}]`, Catalogue{}, []string{CodeFunction}},
		{"a text that is not closed", `[{"id":"root","component":"Text","text":{"call":"formatString","args":{"value":"${openUrl("}}}]`, Catalogue{}, []string{CodeFunction}},
		{"words that look like a call", `[{"id":"root","component":"Text","text":"${openUrl(url:'x')}"}]`, Catalogue{}, nil},
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
	if told := FormatProblems(d.Validate(Catalogue{})); !strings.Contains(told, CodeNotData) || !strings.Contains(told, CodeNoID) {
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

func TestCallsInData(t *testing.T) {
	t.Parallel()
	components := componentsOf(t, `[{"id":"root","component":"Text"}]`)
	for data, want := range map[string]int{
		`{"call":"taxi"}`: 0, `{"x":[{"call":"not","args":{}}]}`: 0, `{"x":[{"call":"openUrl","args":{}}]}`: 1,
	} {
		problems := Design{SurfaceID: "s", Components: components, Data: json.RawMessage(data)}.Validate(Catalogue{})
		if len(problems) != want || want == 1 && problems[0].Path != "data.x[0].call" {
			t.Errorf("%s: %v", data, problems)
		}
		w := NewWatcher(Options{})
		events := called(w, "c", RenderTool, `{"surfaceId":"s","components":[{"id":"root","component":"Text"}],"data":`, data, `}`)
		if got := strings.Contains(contents(t, events)[len(events)-1], "retrying"); got != (want == 1) {
			t.Errorf("%s: the last activity is %s", data, contents(t, events)[len(events)-1])
		}
	}
}

// Surfaces of other servers are shown as they are, or as failed.
func TestScreened(t *testing.T) {
	t.Parallel()
	for content, kept := range map[string]bool{
		`{"a2ui_operations":[{"updateComponents":{"surfaceId":"s","components":[{"id":"root","component":"Text","text":{"call":"not","args":{}}}]}}]}`: true,
		`{"a2ui_operations":[{"updateDataModel":{"surfaceId":"s","value":{"call":"taxi","args":{}}}}]}`:                                                false,
		`{"a2ui_operations":[{"updateDataModel":{"surfaceId":"s","value":{"call":"taxi"}}}]}`:                                                          true,
		`{"a2ui_operations":[{"updateComponents":{"surfaceId":"s","components":[{"id":"root","component":"Text","text":{"call":"openUrl"}}]}}]}`:       false,
		`{"a2ui_operations":[{"updateDataModel":{"surfaceId":"s","path":"/__proto__/x","value":1}}]}`:                                                  false,
		`{"a2ui_operations":[{"updateDataModel":{"surfaceId":"s","path":"/constructor","value":{"prototype":1}}}]}`:                                    true,
		`{"status":"building"}`: true,
	} {
		if got := string(Screened(json.RawMessage(content))); (got == content) != kept || !kept && !strings.Contains(got, `"status":"failed"`) {
			t.Errorf("%s becomes %s", content, got)
		}
	}
}

// A path into the data does not lead to what all objects of a page share.
func TestPathsOutOfTheData(t *testing.T) {
	t.Parallel()
	for path, refused := range map[string]bool{
		"/__proto__/x": true, "__proto__": true, "/a/constructor//prototype/b": true, "/constructor/name": false, "/a__proto__": false,
	} {
		component := `{"id":"root","component":"TextField","value":{"path":"` + path + `"}}`
		problems := ValidateComponents(componentsOf(t, "["+component+"]"), Catalogue{})
		if got := len(problems) == 1 && problems[0].Code == CodePath && problems[0].Path == "components[0].value.path"; got != refused {
			t.Errorf("%s in a component: %v", path, problems)
		}
		result := Result([]Operation{
			{CreateSurface: &CreateSurface{SurfaceID: "s"}},
			{UpdateComponents: &UpdateComponents{SurfaceID: "s", Components: componentsOf(t, `[{"id":"root","component":"Text"}]`)}},
			{UpdateDataModel: &UpdateDataModel{SurfaceID: "s", Path: path, Value: json.RawMessage(`1`)}},
		})
		if got := problemsOf(ReadResult(result), Catalogue{}) != nil; got != refused {
			t.Errorf("%s of a tool's data is refused: %t, want %t", path, got, refused)
		}
	}
}

func TestFunctionsOfACatalogue(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{`{"functions":[{"name":"a"},{"name":"b"}]}`: "a b", `{"functions":{"b":{},"a":{}}}`: "a b", `{"functions":1}`: "", `{}`: ""} {
		c, err := ReadCatalogue(json.RawMessage(raw))
		if got := strings.Join(c.Functions, " "); err != nil || got != want {
			t.Errorf("%s has the functions %q, %v", raw, got, err)
		}
	}
}

// TestAResultHasALimit reads no more operations than a result may have.
func TestAResultHasALimit(t *testing.T) {
	t.Parallel()
	const one = `{"version":"v0.9","deleteSurface":{"surfaceId":"s"}}`
	for n, want := range map[int]int{1: 1, MaxOperations: MaxOperations, MaxOperations + 1: MaxOperations, 10 * MaxOperations: MaxOperations} {
		text := `{"a2ui_operations":[` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]}`
		if got := len(ReadResult(text)); got != want {
			t.Errorf("of %d operations %d are read, want %d", n, got, want)
		}
	}
}
