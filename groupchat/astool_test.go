package groupchat

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// query is a call of the specialist called name.
func query(name, text string) []string { return []string{name, `{"query":"` + text + `"}`} }

// free is a specialist without approvals.
func free(agent Agent, o AsToolOptions) Tool {
	t := AsTool(agent, o)
	t.Approve = tools.ApproveNever
	return t
}

// resultOfCall is the metadata of the nth result of a stream.
func resultOfCall(t testing.TB, s *stream, n int) (status string, b toolBranch) {
	t.Helper()
	for _, e := range s.events {
		r, ok := e.(*agui.ToolCallResult)
		if !ok {
			continue
		}
		if n--; n >= 0 {
			continue
		}
		must(t, json.Unmarshal(r.Metadata["subAgentStatus"], &status))
		must(t, json.Unmarshal(r.Metadata["subAgent"], &b))
		return status, b
	}
	t.Fatal("no such result")
	return "", b
}

// announced are the invocations of a stream.
func announced(s *stream) []*agui.SubagentStarted {
	var all []*agui.SubagentStarted
	for _, e := range s.events {
		if sub, ok := e.(*agui.SubagentStarted); ok {
			all = append(all, sub)
		}
	}
	return all
}

// TestRow117ASpecialistIsAToolWithAQuery lets a model call a specialist: one argument, events around those of the
// specialist, and its last words as the result.
func TestRow117ASpecialistIsAToolWithAQuery(t *testing.T) {
	t.Parallel()
	boss := newMind(t, calls(query("scout", "Is it far?")...), says("It is."))
	scout := newMind(t, says("Very far."))
	tool := free(&LLM{Description: "Looks", Model: scout.model()}, AsToolOptions{Name: "scout"})
	r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{tool}})
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "call scout scout { } scout result Very far. It is.")
	equal(t, "description", boss.asked[0].Tools[0].Function.Description, "Looks")
	equal(t, "specialist was asked", scout.last(), "s:You are scout. What others in this conversation say begins with their name. | u:go | u:Is it far?")
	equal(t, "model was told", boss.last(), `u:go | a: scout{"query":"Is it far?"} | t:Very far.`)
	for _, bad := range []string{`{}`, `{"query":""}`, `{"query":1}`, `{"query":"x","depth":2}`} {
		boss := newMind(t, calls("scout", bad), says("Never mind."))
		s := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{tool}}).say("go")
		equal(t, bad, strings.Contains(s.shape(), "scout {"), false)
	}
}

// TestRow118TheResultTellsOfTheBranch and row 126: the data for the client, for each policy; nothing is known by its
// name.
func TestRow118TheResultTellsOfTheBranch(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, policy := range []tools.Branch{tools.BranchFork, tools.BranchFresh, tools.BranchParent, tools.BranchSession} {
		o := AsToolOptions{Name: "scout", Branch: policy, Metadata: agui.Metadata{"team": json.RawMessage(`"north"`)}}
		boss := newMind(t, calls(append(query("scout", "a"), query("scout", "b")...)...), says("Done."))
		r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: boss.model(), Tools: []Tool{free(sayer("x"), o)}}}))
		s := r.say("go")
		equal(t, "run", s.err, nil)
		subs := announced(s)
		for n := range 2 {
			status, b := resultOfCall(t, s, n)
			equal(t, "status", status, "completed")
			hidden := "hidden"
			if policy == tools.BranchParent {
				hidden = "shown"
			}
			equal(t, "about", strings.Join([]string{b.Kind, b.Name, b.Policy, b.Visibility, b.Parent}, " "),
				strings.Join([]string{"subagent", "scout", policy.String(), hidden, "ann"}, " "))
			i := slices.IndexFunc(subs, func(e *agui.SubagentStarted) bool { return e.SubagentRunID == b.RunID })
			if i < 0 || subs[i].ParentToolCallID != b.ToolCallID || b.ToolCallID == "" {
				t.Errorf("%s: invocation %q of call %q is not announced", policy, b.RunID, b.ToolCallID)
			}
			seen[b.ID] = true
			if want := policy == tools.BranchSession; (b.SessionID != "") != want || (b.Query != "") != want {
				t.Errorf("%s: session %q, query %q", policy, b.SessionID, b.Query)
			}
		}
		for _, m := range r.messages {
			if m.Role == agui.RoleTool {
				equal(t, "custom", string(m.Metadata["team"]), `"north"`)
			}
		}
	}
	equal(t, "branches", len(seen), 2) // one for each call: the rigs' threads have one name
}

// TestRow119AModelIsInherited lets a specialist without a model speak through its caller's, however deep.
func TestRow119AModelIsInherited(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls(query("scout", "a")...), calls(query("guide", "b")...), says("Left."), says("Left, says the guide."), says("Done."))
	guide := free(&LLM{}, AsToolOptions{Name: "guide"})
	scout := free(&LLM{Tools: []Tool{guide}}, AsToolOptions{Name: "scout"})
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{scout}})
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "call scout scout { } scout result Left, says the guide. Done.")
	if err := (&LLM{Tools: []Tool{scout}}).Validate(); err == nil || strings.Count(err.Error(), "has no model") != 3 {
		t.Errorf("without any model: %v", err)
	}
}

// TestRow120TheToolsOfASpecialistAreItsOwn shows each model the tools of its agent only.
func TestRow120TheToolsOfASpecialistAreItsOwn(t *testing.T) {
	t.Parallel()
	c := &counted{}
	boss := newMind(t, calls(query("scout", "a")...), says("Done."))
	scout := newMind(t, calls("f", `{}`), says("Found."))
	r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{
		free(&LLM{Model: scout.model(), Tools: []Tool{c.tool("f")}}, AsToolOptions{Name: "scout"}),
	}})
	equal(t, "run", r.say("go").err, nil)
	equal(t, "tools of the caller", boss.asked[0].tools(), "scout")
	equal(t, "tools of the specialist", scout.asked[0].tools(), "f")
	equal(t, "called", strings.Join(c.called(), " "), "f{}")
	for _, m := range r.messages {
		for _, call := range m.ToolCalls {
			equal(t, "call in the conversation", call.Function.Name, "scout")
		}
	}
}

// policyRig is a chat in which ann, a model, asks a specialist twice in turns of her own, and bob hears of it.
func policyRig(t *testing.T, o AsToolOptions) (r *rig, boss, scout, bob *mind) {
	t.Helper()
	o.Name = "scout"
	boss = newMind(t, calls(query("scout", "one")...), says("First."), calls(query("scout", "two")...), says("Second."))
	scout = newMind(t, says("1"), says("2"))
	bob = newMind(t, says("Hm."))
	ann := &LLM{Model: boss.model(), Tools: []Tool{free(&LLM{Model: scout.model()}, o)}}
	r = newRig(t, team(Sequential(), Participant{Name: "ann", Agent: ann}, Participant{Name: "bob", Agent: &LLM{Model: bob.model()}}))
	return r, boss, scout, bob
}

func words(s string) string {
	_, rest, _ := strings.Cut(s, " | ")
	return rest
}

// TestRow121AForkBeginsWithWhatItsCallerSees and row 127: its messages are in no conversation. Rows 122, 123 and 124
// are the other policies.
func TestRow121AForkBeginsWithWhatItsCallerSees(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		o           AsToolOptions
		first, then string // what the specialist is shown
		bob         string // what the other is, at the end
		said        []string
	}{
		{"fork", AsToolOptions{}, "u:go | u:one", "u:go | u:ann: First. | u:bob: Hm. | u:again | u:two",
			"u:go | u:ann: First. | a:Hm. | u:again | u:ann: Second.", []string{}},
		{"row 122: fresh", AsToolOptions{Branch: tools.BranchFresh}, "u:one", "u:two",
			"u:go | u:ann: First. | a:Hm. | u:again | u:ann: Second.", []string{}},
		{"row 123: parent", AsToolOptions{Branch: tools.BranchParent}, "u:go | u:one", "u:go | a:1 | u:ann: First. | u:bob: Hm. | u:again | u:two",
			"u:go | u:scout: 1 | u:ann: First. | a:Hm. | u:again | u:scout: 2 | u:ann: Second.", []string{"1", "2"}},
		{"row 124: session", AsToolOptions{Branch: tools.BranchSession}, "u:one", "u:one | a:1 | u:two",
			"u:go | u:ann: First. | a:Hm. | u:again | u:ann: Second.", []string{}},
		{"shown", AsToolOptions{Show: true}, "u:go | u:one", "u:go | u:ann: First. | u:bob: Hm. | u:again | u:two",
			"u:go | u:ann: First. | a:Hm. | u:again | u:ann: Second.", []string{"1", "2"}},
		{"row 128: compacted", AsToolOptions{Compact: func(_ context.Context, all []Message) ([]Message, error) {
			return all[max(0, len(all)-1):], nil
		}}, "u:go | u:one", "u:again | u:two", "u:go | u:ann: First. | a:Hm. | u:again | u:ann: Second.", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, boss, scout, bob := policyRig(t, tt.o)
			equal(t, "run", r.say("go").err, nil)
			equal(t, "shown first", words(scout.last()), tt.first)
			equal(t, "run", r.say("again").err, nil)
			equal(t, "shown then", words(scout.last()), tt.then)
			equal(t, "bob was shown", words(bob.last()), tt.bob)
			said := []string{}
			for _, m := range r.messages {
				if m.Name == "scout" {
					said = append(said, m.Content.Text())
				}
			}
			equal(t, "said in the conversation", said, tt.said)
			if !strings.HasSuffix(boss.last(), `a: scout{"query":"two"} | t:2`) {
				t.Errorf("the caller was told %s", boss.last())
			}
		})
	}
}

// TestRow124ASessionIsReadOffTheConversation survives what the thread survives, tells two callers apart, and is given
// what a person made of the query.
func TestRow124ASessionIsReadOffTheConversation(t *testing.T) {
	t.Parallel()
	boss := newMind(t, calls(query("scout", "one")...), says("First."), calls(append(query("scout", "two"), query("scout", "three")...)...), says("Second."))
	scout := newMind(t, says("1"), says("2"))
	tool := AsTool(&LLM{Model: scout.model()}, AsToolOptions{Name: "scout", Branch: tools.BranchSession})
	r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{tool}})
	r.say("go")
	equal(t, "run", r.answer(map[string]string{"approve/llm/0/0": `{"approved":true,"editedArgs":{"query":"uno"}}`}).err, nil)
	equal(t, "edited", words(scout.last()), "u:uno")
	raw, err := json.Marshal(r.messages)
	must(t, err)
	r.messages = nil
	must(t, json.Unmarshal(raw, &r.messages))
	r.origin = "2"
	r.say("again")
	r.answer(map[string]string{"approve/llm/0/0": `{"approved":false}`, "approve/llm/0/1": `{"approved":true}`})
	equal(t, "one at a time", words(scout.last()), "u:uno | a:1 | u:three")

	other := newMind(t, calls(query("scout", "four")...), says("Third."))
	r.root = team(Sequential(), Participant{Name: "eve", Agent: &LLM{Model: other.model(), Tools: []Tool{tool}}})
	r.origin = "3"
	r.say("and you?")
	r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`})
	equal(t, "somebody else's", words(scout.last()), "u:four")
}

// TestRow124CallsOfOneReplyAreApart: a call of a session does not see the answer of another call of the same reply, also
// when it pauses and is resumed behind that answer.
func TestRow124CallsOfOneReplyAreApart(t *testing.T) {
	t.Parallel()
	both, third := append(query("scout", "one"), query("scout", "two")...), query("scout", "three")
	boss := newMind(t, calls(both...), says("Done."), calls(third...), says("Done."))
	var mu sync.Mutex // calls of one reply work at the same time
	seen := map[string]string{}
	scout := AgentFunc(func(_ context.Context, t *Turn) error {
		u, _ := t.LastUser()
		if u.Content.Text() == "two" {
			if _, err := t.Ask(Question{Key: "way", Message: "Which way?"}); err != nil {
				return err
			}
		}
		said := []string{}
		for _, m := range t.Messages() {
			said = append(said, m.Content.Text())
		}
		mu.Lock()
		defer mu.Unlock()
		seen[u.Content.Text()] = strings.Join(said, " | ")
		return Say(t, "about "+u.Content.Text())
	})
	r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{free(scout, AsToolOptions{Name: "scout", Branch: tools.BranchSession})}})
	equal(t, "run", r.say("go").err, nil)
	equal(t, "run", r.answer(map[string]string{"way": `"left"`}).err, nil)
	equal(t, "run", r.say("again").err, nil)
	equal(t, "conversations", seen, map[string]string{
		"one": "one", "two": "two", "three": "one | about one | two | about two | three",
	})
}

// The root speaks without a name. Its model is not sent what a specialist called, and its specialists are sent its
// words under the agent's name.
func TestTheRootAndItsSpecialistsAreApart(t *testing.T) {
	t.Parallel()
	boss := newMind(t, calls(query("scout", "one")...), says("I recommend KLM."), calls(query("scout", "two")...), says("Done."))
	scout := newMind(t, calls("danger", `{}`), says("Found."), says("Found more."))
	secret := Tool{Name: "danger", Parameters: json.RawMessage(`{"type":"object"}`), Approve: tools.ApproveAlways,
		Call: func(context.Context, ToolCall) (tools.Result, error) { return tools.Text("secret"), nil }}
	tool := AsTool(&LLM{Model: scout.model(), Tools: []Tool{secret}}, AsToolOptions{Name: "scout"})
	tool.Approve = tools.ApproveNever
	r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{tool}})
	r.input = Input{ThreadID: "t", RunID: "r", Agent: "planner"}
	equal(t, "run", r.say("go").err, nil)
	equal(t, "run", r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`}).err, nil)
	equal(t, "run", r.say("again").err, nil)
	for _, private := range []string{"danger", "secret"} {
		if strings.Contains(boss.last(), private) {
			t.Errorf("the caller was sent %s", boss.last())
		}
	}
	equal(t, "the specialist was sent", words(scout.last()), "u:go | u:planner: I recommend KLM. | u:again | u:two")
}

// The same words come to the supervisor of a team that is a specialist under the agent's name, and not as its own.
func TestATeamIsSentItsCallersWordsUnderItsName(t *testing.T) {
	t.Parallel()
	boss := newMind(t, says("I recommend KLM."), calls(query("desk", "two")...), says("Done."))
	var sent []model.Message
	desk := &Chat{Participants: []Participant{{Name: "w", Agent: sayer("ok")}}, Manager: func() Manager {
		return managerFunc(func(_ context.Context, v View) (Decision, error) {
			if v.Round > 0 {
				return Decision{Done: true}, nil
			}
			sent = v.Transcript(10_000)
			return Decision{Speaker: "w"}, nil
		})
	}}
	tool := AsTool(desk, AsToolOptions{Name: "desk"})
	tool.Approve = tools.ApproveNever
	r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{tool}})
	r.input = Input{ThreadID: "t", RunID: "r", Agent: "planner"}
	equal(t, "run", r.say("go").err, nil)
	equal(t, "run", r.say("again").err, nil)
	if len(sent) < 2 || sent[1].Role != agui.RoleUser || sent[1].Text != "planner: I recommend KLM." {
		t.Errorf("the supervisor was sent %+v", sent)
	}
}
