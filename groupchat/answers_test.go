package groupchat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/tools"
)

// TestAFansAnswersAreThoseOfAll has a fan of which the last in the file speaks first, in each place in which the last
// words of an agent are used: all answers are there, in the order of the file.
func TestAFansAnswersAreThoseOfAll(t *testing.T) {
	t.Parallel()
	const want = "a speaks\n\nb speaks\n\nc speaks"
	type place struct {
		agent func(Agent) Agent // of the participant "panel"
		next  *string           // a template of the participant behind it
		said  string
		state string
	}
	last, inner := "{{last:panel}}", "{{last:b}}"
	around := func(o SubOptions) func(Agent) Agent { return func(a Agent) Agent { return Sub(a, o) } }
	places := map[string]place{
		"history": {agent: around(SubOptions{Output: OutputHistory}), said: "a: a speaks, b: b speaks, c: c speaks", state: `{}`},
		"result":  {agent: around(SubOptions{Output: OutputNone, Result: "/r"}), said: "", state: `{"r":"` + strings.ReplaceAll(want, "\n", `\n`) + `"}`},
		"of a chat": {
			agent: func(a Agent) Agent {
				first := Participant{Name: "first", Agent: sayer("before")}
				return Sub(team(Sequential(), first, Participant{Name: "inner", Agent: a}), SubOptions{Output: OutputHistory})
			},
			said: "a: a speaks, b: b speaks, c: c speaks", state: `{}`,
		},
		"reviewed":  {agent: func(a Agent) Agent { return Sub(Review(a, ReviewOptions{}), SubOptions{Output: OutputHistory}) }, said: "a: a speaks, b: b speaks, c: c speaks", state: `{}`},
		"variable":  {next: &last, said: "c: c speaks, b: b speaks, a: a speaks, next: " + want, state: `{}`},
		"of one":    {next: &inner, said: "c: c speaks, b: b speaks, a: a speaks, next: b speaks", state: `{}`},
		"invoked":   {agent: invoking(OutputBoth), said: "c: c speaks, b: b speaks, a: a speaks, panel: " + want, state: `{}`},
		"hidden":    {agent: invoking(OutputNone), said: "panel: " + want, state: `{}`},
		"concluded": {agent: invoking(OutputHistory), said: "a: a speaks, b: b speaks, c: c speaks, panel: " + want, state: `{}`},
		"fan in a fan": {
			agent: func(a Agent) Agent {
				return Sub(&Concurrent{Participants: []Participant{{Name: "in", Agent: a}, {Name: "z", Agent: sayer("z speaks")}}}, SubOptions{Output: OutputHistory, Result: "/r"})
			},
			said: "a: a speaks, b: b speaks, c: c speaks, z: z speaks", state: `{"r":"` + strings.ReplaceAll(want+"\n\nz speaks", "\n", `\n`) + `"}`,
		},
	}
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var agent Agent = &Concurrent{Participants: backwards("a", "b", "c")}
			if p.agent != nil {
				agent = p.agent(agent)
			}
			people := []Participant{{Name: "panel", Agent: agent}}
			if p.next != nil {
				tell := fill(*p.next)
				people = append(people, Participant{Name: "next", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
					return SayOnce(t, "say", tell(t.viewNow()))
				})})
			}
			r := newRig(t, team(Sequential(), people...))
			r.state = json.RawMessage(`{}`)
			must(t, r.say("x").err)
			if len(r.open) > 0 {
				must(t, r.answer(map[string]string{"review-1": `""`}).err)
			}
			var said []string
			for _, m := range r.messages[1:] {
				said = append(said, m.Name+": "+m.Content.Text())
			}
			equal(t, "said", strings.Join(said, ", "), p.said)
			equal(t, "state", string(r.state), p.state)
		})
	}
}

// invoking lets an agent take a turn inside that of another, which says what it is given.
func invoking(o OutputMode) func(Agent) Agent {
	return func(a Agent) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error {
			reply, err := t.Invoke("inner", a, InvokeOptions{Output: o})
			if err != nil {
				return err
			}
			return SayOnce(t, "say", reply.Text())
		})
	}
}

// TestAFanAsAToolAnswersForAll calls a fan as a tool: its result has all answers, and a later run of the thread can
// name them.
func TestAFanAsAToolAnswersForAll(t *testing.T) {
	t.Parallel()
	fan := &Concurrent{Participants: backwards("a", "b", "c")}
	tool := AsTool(fan, AsToolOptions{Name: "panel", Branch: tools.BranchParent})
	tool.Approve = tools.ApproveNever
	m := newMind(t, calls("panel", `{"query":"well?"}`), says("done"), says("again"))
	boss := &LLM{Model: m.model(), Tools: []Tool{tool}, Prepare: []Provider{instruct("{{last:panel|none}}")}}
	r := newRig(t, team(Sequential(), Participant{Name: "boss", Agent: boss}))
	must(t, r.say("x").err)
	must(t, r.say("y").err)
	requests := m.requests()
	const want = "a speaks\n\nb speaks\n\nc speaks"
	if !strings.Contains(requests[1], "t:"+want) {
		t.Errorf("the model is given %q", requests[1])
	}
	if !strings.HasPrefix(requests[2], "s:"+want) {
		t.Errorf("the next run's instructions are %q", requests[2])
	}
}
