package groupchat

import (
	"context"
	"strconv"
	"strings"
	"testing"
)

// TestANameIsItsOwnersWhereverTheOtherIs has a writer in a team and another in a team inside it. Neither reads the
// other's calls as if they were its own.
func TestANameIsItsOwnersWhereverTheOtherIs(t *testing.T) {
	t.Parallel()
	c := &counted{}
	reply := func(text string) script {
		return script{Body: chunk(`"content":`+strconv.Quote(text)) + "\n" + calls("f", `{}`).Body}
	}
	inner := newMind(t, reply("Inner one."), says("Inner two."))
	outer := newMind(t, reply("Outer one."), says("Outer two."))
	llm := func(m *mind) Agent { return &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}} }
	r := newRig(t, team(Sequential(),
		Participant{Name: "desk", Agent: team(Sequential(), Participant{Name: "writer", Agent: llm(inner)})},
		Participant{Name: "writer", Agent: llm(outer)}))
	must(t, r.say("go").err)
	first := `u:go | u:writer: Inner one. | u:writer: Inner two.`
	equal(t, "the outer one is told first", words(outer.requests()[0]), first)
	inner.scripts, outer.scripts = []script{says("Inner three.")}, []script{says("Outer three.")}
	must(t, r.say("again").err)
	equal(t, "the inner one knows its own", words(inner.last()),
		`u:go | a:Inner one. | a:Inner two. | u:writer: Outer one. | u:writer: Outer two. | u:again`)
	equal(t, "and so does the outer one", words(outer.last()),
		first+` | a:Outer one. f{} | t:f done | a:Outer two. | u:again | u:writer: Inner three.`)
}

// TestControlIsNotTakenForSomebodyElses has a name twice in a team with handoffs: who spoke last is known by the place.
func TestControlIsNotTakenForSomebodyElses(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "clerk", Agent: sayer("Inner.")})
	chat := team(Handoff(HandoffOptions{Start: "desk"}), Participant{Name: "desk", Agent: inner}, Participant{Name: "clerk", Agent: sayer("Outer.")})
	r := newRig(t, chat)
	equal(t, "first", r.say("x").steps(), []string{"desk", "desk.clerk"})
	equal(t, "the desk has control", r.say("y").steps(), []string{"desk", "desk.clerk"})
}

// TestNamesOfInvokedAgentsAreTheirOwners is the same for agents that others invoke under one name.
func TestNamesOfInvokedAgentsAreTheirOwners(t *testing.T) {
	t.Parallel()
	minds := map[string]*mind{}
	invokes := func(name string) Agent {
		m := newMind(t, script{Body: chunk(`"content":`+strconv.Quote("I am "+name+"'s.")) + "\n" + calls("f", `{}`).Body}, says("Done."))
		minds[name] = m
		return AgentFunc(func(_ context.Context, t *Turn) error {
			_, err := t.Invoke("helper", &LLM{Model: m.model(), Tools: []Tool{(&counted{}).tool("f")}}, InvokeOptions{})
			return err
		})
	}
	r := newRig(t, team(Sequential(), Participant{Name: "a", Agent: invokes("a")}, Participant{Name: "b", Agent: invokes("b")}))
	must(t, r.say("go").err)
	for _, q := range minds["b"].requests() {
		if strings.Contains(q, "a:I am a's.") || !strings.Contains(q, "u:helper: I am a's.") {
			t.Errorf("b's is told: %s", q)
		}
	}
}
