package a2ui

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

const hotels = `{"surfaceId":"hotels","components":[{"id":"root","component":"Row","children":{"componentId":"card","path":"/items"}},` +
	`{"id":"card","component":"Card","name":{"path":"name"}}],"data":{"items":[{"name":"The \"Ritz\""},{"name":"Holiday Inn"},{"name":"Loft 🏨"}]}}`

// contents are the contents of activities.
func contents(t testing.TB, events []agui.Event) []string {
	t.Helper()
	var list []string
	for _, e := range events {
		list = append(list, string(e.(*agui.ActivitySnapshot).Content))
	}
	return list
}

// called gives a watcher a call, in pieces, and returns the activities.
func called(w *Watcher, id, tool string, pieces ...string) []agui.Event {
	all, _ := w.Next(&agui.ToolCallStart{ToolCallID: id, ToolCallName: tool})
	for _, p := range pieces {
		before, _ := w.Next(&agui.ToolCallArgs{ToolCallID: id, Delta: p})
		all = append(all, before...)
	}
	return all
}

func resulted(w *Watcher, id, content string) []agui.Event {
	_, after := w.Next(&agui.ToolCallResult{ToolCallID: id, Role: agui.RoleTool, Content: agui.TextContent(content)})
	return after
}

func TestASurfaceIsDrawnWhileItComes(t *testing.T) {
	t.Parallel()
	w := NewWatcher(Options{Catalogue: Catalogue{ID: "mine"}})
	end := strings.Index(hotels, `,"data"`)
	first := strings.Index(hotels, `,{"name":"Holiday`)
	got := contents(t, called(w, "c", RenderTool, hotels[:20], hotels[20:end], hotels[end:first], hotels[first:]))
	want := []string{"building", "updateComponents", `The \"Ritz\"`, "Holiday", "Loft"}
	if len(got) != 6 { // begin, tokens, components, one item, three items, all data
		t.Fatalf("%d activities: %s", len(got), got)
	}
	for i, s := range []int{0, 2, 3, 4, 5} {
		if !strings.Contains(got[s], want[i]) {
			t.Errorf("activity %d has no %s: %s", s, want[i], got[s])
		}
	}
	if strings.Contains(got[3], "Holiday") || !strings.Contains(got[5], `"catalogId":"mine"`) {
		t.Errorf("%s", got)
	}
	if after := resulted(w, "c", `{"status":"rendered"}`); after != nil {
		t.Errorf("after: %s", contents(t, after))
	}
}

// A model may write blanks and line breaks between the names of members and their values.
func TestArgumentsWithWhiteSpace(t *testing.T) {
	t.Parallel()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(hotels), "\t", "  "); err != nil {
		t.Fatal(err)
	}
	spaced := strings.NewReplacer(`":`, "\" :\r\n ").Replace(hotels)
	for _, arguments := range []string{pretty.String(), spaced, strings.ReplaceAll(hotels, `":`, `": `)} {
		got := contents(t, called(NewWatcher(Options{}), "c", RenderTool, strings.SplitAfter(arguments, "")...))
		if last := got[len(got)-1]; !strings.Contains(last, `"surfaceId":"hotels"`) || !strings.Contains(last, "Loft") {
			t.Errorf("%s\nis drawn as %s", arguments, last)
		}
	}
}

func TestACallThatIsTriedAgainTakesTheActivity(t *testing.T) {
	t.Parallel()
	w := NewWatcher(Options{})
	bad := `{"surfaceId":"s","components":[{"id":"root","component":"Row","child":"gone"}]}`
	events := called(w, "a", RenderTool, bad)
	if got := contents(t, events); !strings.Contains(got[len(got)-1], `"retrying"`) || !strings.Contains(got[len(got)-1], `"attempt":2`) {
		t.Errorf("%s", got)
	}
	if after := resulted(w, "a", Invalid([]Problem{{Code: CodeNoChild}})); after != nil {
		t.Errorf("%s", contents(t, after))
	}
	events = called(w, "b", RenderTool, hotels)
	for _, e := range events {
		if id := e.(*agui.ActivitySnapshot).MessageID; id != MessageID("a") {
			t.Errorf("the second call has the activity %s", id)
		}
	}
	if got := contents(t, events); !strings.Contains(got[len(got)-1], "Loft") {
		t.Errorf("%s", got)
	}
}

func TestWordsInPlaceOfAnotherTry(t *testing.T) {
	t.Parallel()
	w := NewWatcher(Options{})
	called(w, "a", RenderTool, `{"surfaceId":"s","components":[]}`)
	if got := contents(t, resulted(w, "a", "These arguments are no good.")); len(got) != 1 || !strings.Contains(got[0], `"retrying"`) {
		t.Errorf("%s", got)
	}
	before, _ := w.Next(&agui.TextMessageStart{MessageID: "m", Role: agui.RoleAssistant})
	if got := contents(t, before); len(got) != 1 || !strings.Contains(got[0], `"failed"`) {
		t.Errorf("%s", got)
	}
}

func TestExhaustedAttemptsAreTold(t *testing.T) {
	t.Parallel()
	w := NewWatcher(Options{})
	got := contents(t, resulted(w, "c", Exhausted([]Attempt{{Attempt: 1}, {Attempt: 2}})))
	if len(got) != 1 || !strings.Contains(got[0], `"status":"failed"`) || !strings.Contains(got[0], `"maxAttempts":2`) {
		t.Errorf("%s", got)
	}
}

func TestResultsWithOperations(t *testing.T) {
	t.Parallel()
	create := func(id string) string {
		return `{"version":"v0.9","createSurface":{"surfaceId":"` + id + `","catalogId":"c"}},` +
			`{"version":"v0.9","updateComponents":{"surfaceId":"` + id + `","components":[{"id":"root","component":"Text","text":{"path":"/t"}}]}}`
	}
	data := `{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":"/t","value":"<b>new</b>"}}`
	shown := []agui.Message{{ID: "old", Role: agui.RoleActivity, ActivityType: ActivityType,
		Content: agui.ObjectContent(json.RawMessage(`{"a2ui_operations":[` + create("s") + `]}`))}}
	find := func(surface string) (string, []Operation) { return Shown(shown, surface) }
	for name, test := range map[string]struct {
		result string
		ids    []string
		has    string
	}{
		"one surface":             {`{"a2ui_operations":[` + create("s") + `]}`, []string{"a2ui-surface-c"}, "createSurface"},
		"two surfaces":            {`{"a2ui_operations":[` + create("s") + `,` + create("t") + `]}`, []string{"a2ui-surface-s-c", "a2ui-surface-t-c"}, "createSurface"},
		"JSON in JSON":            {encode(`{"a2ui_operations":[` + create("s") + `]}`), []string{"a2ui-surface-c"}, "createSurface"},
		"data of an earlier one":  {`{"a2ui_operations":[` + data + `]}`, []string{"old"}, "u003cb"},
		"of one that is not":      {`{"a2ui_operations":[` + strings.ReplaceAll(data, `"s"`, `"x"`) + `]}`, nil, ""},
		"an end":                  {`{"a2ui_operations":[{"version":"v0.9","deleteSurface":{"surfaceId":"s"}}]}`, []string{"old"}, "deleteSurface"},
		"a circle":                {`{"a2ui_operations":[{"createSurface":{"surfaceId":"s"}},{"updateComponents":{"surfaceId":"s","components":[{"id":"root","component":"Row","child":"root"}]}}]}`, []string{"a2ui-surface-c"}, "failed"},
		"too many":                {`{"a2ui_operations":[` + strings.TrimSuffix(strings.Repeat(data+",", MaxOperations+1), ",") + `]}`, []string{"a2ui-surface-c"}, "failed"},
		"no operations":           {`{"a2ui_operations":[null,1,{}]}`, nil, ""},
		"a text":                  {"The person declined.", nil, ""},
		"a text with operations":  {`The person declined: {"a2ui_operations":[` + create("s") + `]}`, nil, ""},
		"a result of another one": {`{"code":"other"}`, nil, ""},
	} {
		w := NewWatcher(Options{Find: find})
		events := resulted(w, "c", test.result)
		if len(events) != len(test.ids) {
			t.Errorf("%s: %s", name, contents(t, events))
			continue
		}
		for i, e := range events {
			if a := e.(*agui.ActivitySnapshot); a.MessageID != test.ids[i] || !strings.Contains(string(a.Content), test.has) {
				t.Errorf("%s: %s %s", name, a.MessageID, a.Content)
			}
		}
	}
}

func TestMergedOperationsDrawWhatAllDrew(t *testing.T) {
	t.Parallel()
	list := merge(
		Design{SurfaceID: "s", Components: componentsOf(t, `[{"id":"root","component":"Row"},{"id":"a","component":"Text"}]`), Data: json.RawMessage(`{"x":1}`)}.Operations("c"),
		[]Operation{
			{UpdateComponents: &UpdateComponents{SurfaceID: "s", Components: componentsOf(t, `[{"id":"a","component":"Image"}]`)}},
			{UpdateDataModel: &UpdateDataModel{SurfaceID: "s", Path: "/x", Value: json.RawMessage("2")}},
		})
	if len(list) != 4 || len(list[1].UpdateComponents.Components) != 2 || !strings.Contains(string(list[1].UpdateComponents.Components[1]), "Image") {
		t.Errorf("%s", Result(list))
	}
}

// However a call comes, the last activity is the whole surface, and there is a bound to how many there are.
func TestWhateverThePieces(t *testing.T) {
	t.Parallel()
	whole := contents(t, called(NewWatcher(Options{}), "c", RenderTool, hotels))
	for range 200 {
		var pieces []string
		for rest := hotels; rest != ""; {
			n := 1 + rand.IntN(len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		got := contents(t, called(NewWatcher(Options{}), "c", RenderTool, pieces...))
		if got[len(got)-1] != whole[len(whole)-1] {
			t.Fatalf("%q ends in %s", pieces, got[len(got)-1])
		}
	}
	var items strings.Builder
	for range 2000 {
		items.WriteString(`,{"name":"x"}`)
	}
	long := strings.Replace(hotels, `,{"name":"Holiday Inn"}`, items.String(), 1)
	events := called(NewWatcher(Options{}), "c", RenderTool, strings.Split(long, "")...)
	if n := len(events); n > maxPaints+1+len(long)/tokenStep/bytesAToken+2 {
		t.Errorf("%d activities", n)
	}
	if got := contents(t, events); !strings.Contains(got[len(got)-1], "Loft") {
		t.Error("the last activity has not all data")
	}
}

func FuzzWatcher(f *testing.F) {
	f.Add(hotels, uint8(3))
	f.Add(`{"surfaceId":"s","components":[{"component":"X","id":"root"}],"data":{"items":[1,2,"a",[3],null]}}`, uint8(1))
	f.Add(`{"data":{"items":[{}]},"surfaceId":"s"}}}]]]`, uint8(2))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		w := NewWatcher(Options{})
		var pieces []string
		for rest := text; rest != ""; {
			n := min(int(size)+1, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		events := called(w, "c", RenderTool, pieces...)
		events = append(events, resulted(w, "c", text)...)
		for _, e := range events {
			a := e.(*agui.ActivitySnapshot)
			if !json.Valid(a.Content) || a.Content[0] != '{' {
				t.Errorf("%s", a.Content)
			}
		}
		var d Design
		if json.Unmarshal([]byte(text), &d) == nil && d.Validate(Catalogue{}) == nil && size > 200 && strings.Count(text, `"surfaceId"`) == 1 &&
			strings.Count(text, `"components"`) == 1 && strings.Count(text, `"data"`) <= 1 {
			for _, o := range ReadResult(string(events[len(events)-1].(*agui.ActivitySnapshot).Content)) {
				if o.Surface() != d.SurfaceID {
					t.Errorf("%s is about %s", text, o.Surface())
				}
			}
		}
	})
}

func TestAResultHasALimitOfOperations(t *testing.T) {
	t.Parallel()
	const data = `{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":"/","value":1}}`
	for _, n := range []int{1, MaxOperations, MaxOperations + 1, 2 * MaxOperations} {
		list := ReadResult(`{"a2ui_operations":[` + strings.TrimSuffix(strings.Repeat(data+",", n), ",") + `]}`)
		if want := min(n, MaxOperations); len(list) != want {
			t.Errorf("of %d operations %d are read, want %d", n, len(list), want)
		}
	}
}
