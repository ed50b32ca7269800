package script

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/condition"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

// object is what YAML has as a mapping.
type object = map[string]any

// planner plans in the state, asks which steps to take, and takes them.
var planner = ToolOptions{
	Name: "plan", Description: "Plans", Parameters: json.RawMessage(`{"type":"object","required":["steps"],"properties":{
		"steps":{"type":"array","items":{"type":"object"}},"by":{"type":"object"}}}`),
	Steps: []Step{
		{Set: &Set{Path: "/plan", Value: object{"steps": "${arguments.steps}", "by": "${arguments.by.name}"}, Merge: true}},
		{Ask: &Ask{Key: "sure", Message: "Shall I?", Value: object{"steps": "${arguments.steps}"}, Schema: object{"type": "object"}}},
		{When: &When{Value: "${answers.sure.accepted}", Equals: true,
			Then: []Step{{Each: &Each{In: "${arguments.steps}", Do: []Step{
				{Sleep: time.Second},
				{Set: &Set{Path: "/plan/steps/${each.index}/status", Value: "done: ${each.item.name}"}},
			}}}},
			Else: []Step{{Fail: &Fail{Message: "They said no."}}},
		}},
	},
	Result: object{"took": "${answers.sure.accepted}"},
}

const plan = `{"steps":[{"name":"mix"},{"name":"bake"}],"by":{"name":"Ann"}}`

// planning returns a conversation with a model that calls the planner, and then repeats the result.
func planning(t modeltest.T, o ToolOptions, call string) (*groupchattest.Thread, *modeltest.Model) {
	m := modeltest.New(t, modeltest.Calls(o.Name, call), modeltest.Text("So it is."))
	return groupchattest.NewThread(t, &groupchat.LLM{Model: m, Tools: []groupchat.Tool{NewTool(o)}}, groupchattest.Options{}), m
}

// A tool's steps are taken once, whatever dies in between.
func TestAToolIsAScript(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		must(t, planner.Validate())
		places := groupchattest.EachTakeover(t, func(t modeltest.T) *groupchattest.Thread {
			th, _ := planning(t, planner, plan)
			return th
		}, func(th *groupchattest.Thread) {
			run := th.Say("Plan a cake")
			equal(t, "asked", len(run.Questions), 1)
			equal(t, "plan", string(run.State), `{"plan":{"by":"Ann","steps":[{"name":"mix"},{"name":"bake"}]}}`)
			run = th.Answer(given(map[string]string{"sure": `{"accepted":true}`}))
			must(t, run.Err)
			equal(t, "words", run.Text, "So it is.")
			equal(t, "plan", string(run.State), `{"plan":{"by":"Ann","steps":[{"name":"mix","status":"done: mix"},{"name":"bake","status":"done: bake"}]}}`)
		})
		if places < 4 {
			t.Errorf("%d places at which the process could die", places)
		}
	})
}

// The results of calls for the model.
func TestResultsOfTools(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat("1,", maxSteps+1), ",")
	list := json.RawMessage(`{"type":"object","properties":{"list":{"type":"array"}}}`)
	for name, test := range map[string]struct {
		tool   ToolOptions
		call   string
		answer string // to the question sure; empty if nothing is asked
		want   string
	}{
		"JSON":            {planner, plan, `{"accepted":true}`, `{"took":true}`},
		"a failed call":   {planner, plan, `{"accepted":false}`, "They said no."},
		"called off":      {planner, plan, "cancel", cancelledResult},
		"nothing":         {ToolOptions{}, `{}`, "", "done"},
		"a text":          {ToolOptions{Result: "Sunny in ${arguments.city}.", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}, `{"city":"Oslo"}`, "", "Sunny in Oslo."},
		"what is missing": {ToolOptions{Result: "In ${arguments.city}.", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}, `{}`, "", "In ."},
		"too many": {ToolOptions{Parameters: list, Steps: []Step{{Each: &Each{In: "${arguments.list}", Do: []Step{{Set: &Set{Path: "/n", Value: 1}}}}}}},
			`{"list":[` + many + `]}`, "", "The tool failed."},
		"no list":             {ToolOptions{Parameters: list, Steps: []Step{{Each: &Each{In: "${arguments.list}", Do: []Step{{Fail: &Fail{}}}}}}}, `{}`, "", "done"},
		"a merge into a list": {ToolOptions{Parameters: list, Steps: []Step{{Set: &Set{Path: "/a", Value: "${arguments.list}"}}, {Set: &Set{Path: "/a", Value: object{"b": 1}, Merge: true}}}}, `{"list":[1]}`, "", "The tool failed."},
		"a path to nowhere":   {ToolOptions{Parameters: list, Steps: []Step{{Set: &Set{Path: "/a/${arguments.list.7}", Value: 1}}}}, `{"list":[1]}`, "", "The tool failed."},
		"odd merge":           {ToolOptions{Parameters: list, Steps: []Step{{Set: &Set{Path: "/a", Value: "${arguments.list}", Merge: true}}}}, `{"list":[1]}`, "", "The tool failed."},
		"the last one":        {ToolOptions{Steps: []Step{{Call: &Call{Name: "clerk", Agent: &Agent{Steps: []Step{{Say: "Seven."}}}, Query: "How many?"}}}}, `{}`, "", "Seven."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.tool.Name = "plan"
				must(t, test.tool.Validate())
				th, m := planning(t, test.tool, test.call)
				run := th.Say("Go on")
				if test.answer != "" {
					run = th.Answer(given(map[string]string{"sure": test.answer}))
				}
				must(t, run.Err)
				if got := m.Requests()[1].Last(); got != test.want {
					t.Errorf("the model is told %q, want %q", got, test.want)
				}
			})
		})
	}
}

// A step may call a page's tool, and the model gets its result.
func TestAToolCallsThePage(t *testing.T) {
	t.Parallel()
	th, m := planning(t, ToolOptions{Name: "write", Steps: []Step{{Tool: &Tool{Name: "confirm"}}}}, `{}`)
	run := th.Say("Write")
	equal(t, "called", run.Calls[0].Name, "confirm")
	must(t, th.Answer(map[string]any{"confirm": `{"accepted":true}`}).Err)
	equal(t, "told", m.Requests()[1].Last(), `{"accepted":true}`)
}

// After a change before the waiting step a script does not continue with other steps.
func TestAChangedToolDoesNotGoOn(t *testing.T) {
	t.Parallel()
	tool := ToolOptions{Name: "plan", Steps: []Step{{Ask: &Ask{Key: "sure", Message: "Sure?"}}, {Set: &Set{Path: "/done", Value: true}}}}
	m := modeltest.New(t, modeltest.Calls("plan", `{}`))
	llm := &groupchat.LLM{Model: m, Tools: []groupchat.Tool{NewTool(tool)}}
	th := groupchattest.NewThread(t, llm, groupchattest.Options{})
	th.Say("Go on")
	tool.Steps = append([]Step{{Set: &Set{Path: "/first", Value: true}}}, tool.Steps...)
	llm.Tools = []groupchat.Tool{NewTool(tool)}
	run := th.Answer(given(map[string]string{"sure": `{"value":1}`}))
	codeOf(t, run, errcode.CheckpointIncompatible)
	equal(t, "state", string(run.State), `{}`)
}

// Scripts of tools branch by messages, by the state and by answers.
func TestScriptsBranch(t *testing.T) {
	t.Parallel()
	said := func(word string) groupchat.Condition {
		return condition.UserSaid(func(text string) bool { return strings.Contains(text, word) })
	}
	agent := &Agent{Steps: []Step{
		{When: &When{If: said("order"), Then: []Step{
			{Each: &Each{In: []any{"cup", "plate"}, Do: []Step{{Ask: &Ask{Key: "n", Message: "How many of ${each.item}?"}}, {Say: "${answers.n} of ${each.item}."}}}},
			{Set: &Set{Path: "/ordered", Value: true}},
		}}},
		{When: &When{If: condition.Present("/ordered"), Then: []Step{{Say: "Thank you."}}, Else: []Step{{Say: "Hello."}}}},
	}}
	must(t, agent.Validate())
	places := groupchattest.EachTakeover(t, func(t modeltest.T) *groupchattest.Thread {
		return groupchattest.NewThread(t, agent, groupchattest.Options{})
	}, func(th *groupchattest.Thread) {
		equal(t, "words", th.Say("Good day").Text, "Hello.")
		th.Say("I want to order")
		run := th.Answer(map[string]any{"n/0": json.RawMessage(`{"value":2}`)})
		equal(t, "asks", run.Questions[0].Message, "How many of plate?")
		run = th.Answer(map[string]any{"n/1": json.RawMessage(`{"value":"three"}`)})
		must(t, run.Err)
		equal(t, "all", texts(agents(run.Messages)), []string{"three of plate.", "Thank you."})
	})
	if places < 3 {
		t.Errorf("%d places at which the process could die", places)
	}
}

// agents are the messages that agents said.
func agents(all []agui.Message) (said []agui.Message) {
	for _, m := range all {
		if m.Role == agui.RoleAssistant {
			said = append(said, m)
		}
	}
	return said
}

func TestValidateTools(t *testing.T) {
	t.Parallel()
	deep := []Step{{Say: "x"}}
	for range maxDepth {
		deep = []Step{{Each: &Each{In: []any{1}, Do: deep}}}
	}
	city := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)
	for want, o := range map[string]ToolOptions{
		"${arguments.town}: is no argument":     {Parameters: city, Steps: []Step{{Say: "${arguments.town}"}}},
		"${each.item}: in the steps of each":    {Steps: []Step{{Say: "${each.item}"}}},
		"result: ${answers.sure}":               {Result: "${answers.sure}"},
		"step 1.then.1: does 0 things":          {Parameters: city, Steps: []Step{{When: &When{Value: "${arguments.city}", Then: []Step{{}}}}}},
		"when: has neither":                     {Steps: []Step{{When: &When{Then: []Step{{Say: "x"}}}}}},
		"when: has no steps":                    {Steps: []Step{{When: &When{If: condition.Present("/a")}}}},
		"is nested deeper than 8":               {Steps: deep},
		"what is merged is an object":           {Steps: []Step{{Set: &Set{Path: "/a", Value: 1, Merge: true}}}},
		"the schema is not a JSON Schema":       {Steps: []Step{{Ask: &Ask{Key: "k", Message: "?", Schema: object{"type": 5}}}}},
		"has both options and a schema":         {Steps: []Step{{Ask: &Ask{Key: "k", Message: "?", Schema: object{}, Options: []any{1}}}}},
		"value: is no object":                   {Steps: []Step{{Ask: &Ask{Key: "k", Message: "?", Value: []any{1}}}}},
		"of which a card may have":              {Steps: []Step{{Ask: &Ask{Key: "k", Message: "?", Value: object{"a": strings.Repeat("x", 256<<10)}}}}},
		"the member options of a card":          {Steps: []Step{{Ask: &Ask{Key: "k", Message: "?", Value: object{"options": []any{1}}}}}},
		"call: names no agent":                  {Steps: []Step{{Call: &Call{}}}},
		"parameters: ":                          {Parameters: json.RawMessage(`[]`)},
		"the key \"clerk\" is taken by a agent": {Steps: []Step{{Call: &Call{Name: "clerk", Agent: groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return nil })}}, {Tool: &Tool{Name: "clerk"}}}},
	} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %s", err, want)
		}
	}
}
