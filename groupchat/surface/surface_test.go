package surface_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/guard"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/surface"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// quiet is a test that does not run.
type quiet struct{}

func (quiet) Helper()               {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

const (
	hotels = `{"surfaceId":"hotels","components":[{"id":"root","component":"Row","children":{"componentId":"card","path":"/items"}},` +
		`{"id":"card","component":"Card","name":{"path":"name"}}],"data":{"items":[{"name":"The Ritz"},{"name":"Loft"}]}}`
	dangling = `{"surfaceId":"hotels","components":[{"id":"root","component":"Row","children":["gone"]}]}`
)

// agent is one with tools that shows surfaces.
func agent(m model.Model, o surface.Options, hooks []groupchat.Hooks, list ...groupchat.Tool) groupchat.Agent {
	return groupchat.WithHooks(groupchat.WithHooks(&groupchat.LLM{Model: m, Tools: list, Surfaces: true}, surface.Hooks(o)), hooks...)
}

// activities are the messages of surfaces in a thread, and what they say.
func activities(th *groupchattest.Thread) (ids, contents []string) {
	for _, m := range th.Thread().Messages() {
		if raw, ok := m.Content.Object(); ok && m.ActivityType == a2ui.ActivityType {
			ids, contents = append(ids, m.ID), append(contents, string(raw))
		}
	}
	return ids, contents
}

// one is the only surface of a thread.
func one(t *testing.T, th *groupchattest.Thread, has ...string) string {
	t.Helper()
	_, contents := activities(th)
	if len(contents) != 1 {
		t.Fatalf("%d activities: %s", len(contents), contents)
	}
	for _, want := range has {
		if !strings.Contains(contents[0], want) {
			t.Errorf("the surface has no %s: %s", want, contents[0])
		}
	}
	return contents[0]
}

func TestACallThatRendersIsASurface(t *testing.T) {
	t.Parallel()
	o := surface.Options{Catalogue: a2ui.Catalogue{ID: "mine"}}
	m := modeltest.New(t, modeltest.Calls("render_a2ui", hotels), modeltest.Text("There."))
	th := groupchattest.NewThread(t, agent(m, o, nil, surface.Render(o)), groupchattest.Options{})
	if r := th.Say("Hotels?"); r.Text != "There." {
		t.Errorf("it says %q", r.Text)
	}
	one(t, th, `"catalogId":"mine"`, "Loft")
	if last := m.Requests()[1].Messages; !strings.Contains(last[len(last)-1].Text, "rendered") {
		t.Errorf("the model is told %q", last[len(last)-1].Text)
	}
}

func TestWhatCannotBeDrawnIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := surface.Options{}
	m := modeltest.New(t, modeltest.Calls("render_a2ui", dangling), modeltest.Calls("render_a2ui", hotels), modeltest.Text("There."))
	th := groupchattest.NewThread(t, agent(m, o, nil, surface.Render(o)), groupchattest.Options{})
	th.Say("Hotels?")
	one(t, th, "Loft")
	if last := m.Requests()[1].Messages; !strings.Contains(last[len(last)-1].Text, a2ui.CodeNoChild) {
		t.Errorf("the model is told %q", last[len(last)-1].Text)
	}
}

func TestAttemptsEnd(t *testing.T) {
	t.Parallel()
	o := surface.Options{Attempts: 2}
	bad := modeltest.Calls("render_a2ui", dangling)
	m := modeltest.New(t, bad, bad, bad, modeltest.Text("Sorry."), modeltest.Calls("render_a2ui", hotels), modeltest.Text("There."))
	th := groupchattest.NewThread(t, agent(m, o, nil, surface.Render(o)), groupchattest.Options{})
	th.Say("Hotels?")
	if _, all := activities(th); !strings.Contains(strings.Join(all, "\n"), `"status":"failed"`) || strings.Contains(strings.Join(all, "\n"), "updateComponents") {
		t.Errorf("%s", all)
	}
	if r := th.Say("Again?"); r.Text != "There." {
		t.Errorf("it says %q", r.Text)
	}
}

func TestASurfaceIsDesignedByACallOfItsOwn(t *testing.T) {
	t.Parallel()
	o := surface.Options{}
	designs := modeltest.New(t, modeltest.Calls("render_a2ui", dangling), modeltest.Calls("render_a2ui", hotels))
	speaks := modeltest.New(t, modeltest.Calls("generate_a2ui", `{"intent":"create"}`), modeltest.Text("There."))
	tool := surface.Design(surface.DesignOptions{Options: o, Model: designs, Instructions: "Use cards."})
	th := groupchattest.NewThread(t, agent(speaks, o, nil, tool), groupchattest.Options{})
	th.Say("Compare hotels.")
	one(t, th, "Loft")
	again := designs.Requests()[1]
	if system := again.Messages[0].Text; !strings.Contains(system, "Previous attempt was invalid") || !strings.Contains(system, a2ui.CodeNoChild) || !strings.Contains(system, "Use cards.") {
		t.Errorf("the model is told %q", system)
	}
	if len(again.Tools) != 1 || again.Messages[len(again.Messages)-1].Text != "Compare hotels." {
		t.Errorf("it is asked %v", again)
	}
	if calls := speaks.Requests()[1].Messages; !strings.Contains(calls[len(calls)-1].Text, "a2ui_operations") {
		t.Errorf("the model that speaks is told %q", calls[len(calls)-1].Text)
	}
}

func TestADesignThatDoesNotSucceed(t *testing.T) {
	t.Parallel()
	o := surface.Options{Attempts: 2}
	designs := modeltest.New(t, modeltest.Calls("render_a2ui", dangling), modeltest.Text("I would rather not."))
	speaks := modeltest.New(t, modeltest.Calls("generate_a2ui", `{}`), modeltest.Text("Sorry."))
	th := groupchattest.NewThread(t, agent(speaks, o, nil, surface.Design(surface.DesignOptions{Options: o, Model: designs})), groupchattest.Options{})
	th.Say("Compare hotels.")
	one(t, th, `"status":"failed"`, `"maxAttempts":2`)
}

// saying is a tool that always comes to the same.
func saying(name, text string) groupchat.Tool {
	return groupchat.Tool{Name: name, Approve: tools.ApproveNever, Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
		return tools.Text(text), nil
	}}
}

// A tool of anybody's shows a surface by its result, and a later one changes it; what a person declined shows nothing.
func TestResultsOfTools(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"search": `{"a2ui_operations":[{"version":"v0.9","createSurface":{"surfaceId":"s","catalogId":"c"}},{"version":"v0.9","updateComponents":{"surfaceId":"s","components":[{"id":"root","component":"Text","text":{"path":"/t"}}]}}]}`,
		"change": `{"a2ui_operations":[{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":"/t","value":"<script>alert(1)</script>"}}]}`,
		"stray":  `{"a2ui_operations":[{"version":"v0.9","updateDataModel":{"surfaceId":"nobody","path":"/t","value":1}}]}`,
	}
	var list []groupchat.Tool
	for _, name := range []string{"search", "change", "stray"} {
		list = append(list, saying(name, texts[name]))
	}
	list[0].Approve = tools.ApproveAlways
	m := modeltest.New(t, modeltest.Calls("search", `{}`), modeltest.Text("No."), modeltest.Calls("search", `{}`), modeltest.Text("Shown."),
		modeltest.Calls("change", `{}`), modeltest.Calls("stray", `{}`), modeltest.Text("Changed."))
	th := groupchattest.NewThread(t, agent(m, surface.Options{}, nil, list...), groupchattest.Options{})
	th.Say("Search.")
	th.Reject("search")
	if ids, _ := activities(th); ids != nil {
		t.Fatalf("a declined call shows %s", ids)
	}
	th.Say("Search.")
	th.Approve("search")
	before, _ := activities(th)
	one(t, th, "createSurface")
	th.Say("Change it.")
	one(t, th, "createSurface", `u003cscript`)
	if after, _ := activities(th); after[0] != before[0] {
		t.Errorf("another message: %s, %s", before, after)
	}
}

// Guardrails see surfaces: they mask texts in them.
func TestGuardrailsHoldForSurfaces(t *testing.T) {
	t.Parallel()
	o := surface.Options{}
	hooks, err := guard.New(guard.Rule{On: []guard.Place{guard.Output}, Detect: []guard.Detector{guard.Email}, Do: guard.Redact})
	if err != nil {
		t.Fatal(err)
	}
	m := modeltest.New(t, modeltest.Calls("render_a2ui", strings.Replace(hotels, "The Ritz", "ann@example.org", 1)), modeltest.Text("There."))
	th := groupchattest.NewThread(t, agent(m, o, []groupchat.Hooks{hooks}, surface.Render(o)), groupchattest.Options{})
	th.Say("Hotels?")
	if content := one(t, th, "Loft"); strings.Contains(content, "ann@") {
		t.Errorf("the guardrail did not see %s", content)
	}
}

// A turn that is taken over shows the surface once.
func TestATakeoverShowsASurfaceOnce(t *testing.T) {
	t.Parallel()
	o := surface.Options{}
	build := func(tt modeltest.T) *groupchattest.Thread {
		designs := modeltest.New(tt, modeltest.Calls("render_a2ui", hotels).Always())
		speaks := modeltest.New(tt, modeltest.Calls("generate_a2ui", `{}`).When("Compare").Always(), modeltest.Text("There.").Always())
		return groupchattest.NewThread(tt, agent(speaks, o, nil, surface.Design(surface.DesignOptions{Options: o, Model: designs})), groupchattest.Options{})
	}
	places := groupchattest.EachTakeover(t, build, func(th *groupchattest.Thread) {
		th.Say("Compare hotels.")
		one(t, th, "Loft")
	})
	if places < 3 {
		t.Errorf("%d places", places)
	}
}
