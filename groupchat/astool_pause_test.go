package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// TestRow129ASpecialistNeedsApproval by default: it does not begin before, works once after, or not at all.
func TestRow129ASpecialistNeedsApproval(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, answer, asked, result string }{
		{"approved", `{"approved":true}`, "u:go | u:one", "1"},
		{"with another query", `{"approved":true,"editedArgs":{"query":"two"}}`, "u:go | u:two", "1"},
		{"denied", `{"approved":false}`, "", approval.NotApproved},
		{"called off", "cancel", "", approval.NotApproved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			boss := newMind(t, calls(query("scout", "one")...), says("Done."))
			scout := newMind(t, says("1"))
			r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{AsTool(&LLM{Model: scout.model()}, AsToolOptions{Name: "scout"})}})
			first := r.say("go")
			equal(t, "proposal", first.shape(), "call scout")
			asked := r.question("approve/llm/0/0")
			equal(t, "question", asked.Reason+" "+asked.ToolCallID, "tool_call "+callID(first))
			equal(t, "asked before", len(scout.asked), 0)
			second := r.answer(map[string]string{"approve/llm/0/0": tt.answer})
			equal(t, "calls started again", second.count(agui.TypeToolCallStart), 0)
			equal(t, "specialist was asked", words(scout.last()), tt.asked)
			if !strings.HasSuffix(second.shape(), "result "+tt.result+" Done.") {
				t.Errorf("resumed: %s", second.shape())
			}
		})
	}
}

// TestRow130TheEventsNest rebuilds the tree of callers from the stream, and the caller continues after.
func TestRow130TheEventsNest(t *testing.T) {
	t.Parallel()
	inner := newMind(t, calls(query("guide", "b")...), says("Left."))
	boss := newMind(t, calls(query("scout", "a")...), says("Done."))
	scout := &LLM{Model: inner.model(), Tools: []Tool{free(sayer("Left."), AsToolOptions{Name: "guide", Show: true})}}
	r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: boss.model(), Tools: []Tool{free(scout, AsToolOptions{Name: "scout", Show: true})}}}))
	s := r.say("go")
	equal(t, "stream", s.shape(), "ann { call scout ann.scout { call guide ann.scout.guide { Left. } ann.scout.guide result Left. Left. } ann.scout result Left. Done. } ann")
	var tree []string
	names, callers := map[string]string{}, map[string]string{}
	for _, e := range s.events {
		switch e := e.(type) {
		case *agui.SubagentStarted:
			names[e.SubagentRunID] = e.Name
			tree = append(tree, names[e.ParentSubagentRunID]+">"+callers[e.ParentToolCallID]+">"+e.Name)
		case *agui.ToolCallStart:
			callers[e.ToolCallID] = names[e.SubagentRunID]
		case *agui.TextMessageStart:
			tree = append(tree, names[e.SubagentRunID]+" speaks")
		}
	}
	equal(t, "tree", strings.Join(tree, ", "), ">>ann, ann>ann>scout, scout>scout>guide, guide speaks, scout speaks, ann speaks")
}

// TestRow113ASpecialistMayAsk pauses the run for a question two tools deep and two specialists at once, continues from
// plain JSON, and asks no model anything twice.
func TestRow113ASpecialistMayAsk(t *testing.T) {
	t.Parallel()
	for _, policy := range []tools.Branch{tools.BranchFork, tools.BranchFresh, tools.BranchParent, tools.BranchSession} {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			boss := newMind(t, calls(append(query("scout", "a"), query("clerk", "b")...)...), says("Done."))
			inner := newMind(t, calls(query("guide", "c")...), says("Well."))
			scout := &LLM{Model: inner.model(), Tools: []Tool{free(asker("way"), AsToolOptions{Name: "guide", Branch: policy})}}
			r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{
				free(scout, AsToolOptions{Name: "scout", Branch: policy}), free(asker("form"), AsToolOptions{Name: "clerk", Branch: policy}),
			}})
			first := r.say("go")
			equal(t, "run", first.err, nil)
			paths := []string{where(r.question("way")).Path, where(r.question("form")).Path}
			equal(t, "askers", strings.Join(paths, " "), "scout.guide clerk")
			known := map[string]bool{}
			for _, sub := range announced(first) {
				known[sub.SubagentRunID] = true
			}
			for _, i := range r.open {
				equal(t, "the client knows who asks", known[i.SubagentRunID], true)
			}
			second := r.answer(map[string]string{"way": `"left"`, "form": `"blue"`})
			equal(t, "run", second.err, nil)
			for _, want := range []string{`result Well. `, `result "blue" Done.`} {
				if !strings.Contains(second.shape(), want) {
					t.Errorf("resumed: %s, want %s", second.shape(), want)
				}
			}
			for _, sub := range announced(second) {
				equal(t, "announced again under its id", known[sub.SubagentRunID], true)
			}
			equal(t, "models were asked", len(boss.asked)+len(inner.asked), 4)
			equal(t, "specialist was told", strings.HasSuffix(inner.last(), `t:"left"`), true)
		})
	}
}

// TestRow132BranchesSurviveAReplica dies after every commit of a thread's second run, and another process, with the
// data committed and recorded by then and nothing else, takes over. The branches are the same afterwards, each model
// has seen what it had without the death, and the next run's queries find the same earlier ones.
func TestRow132BranchesSurviveAReplica(t *testing.T) {
	t.Parallel()
	for _, policy := range []tools.Branch{tools.BranchFork, tools.BranchFresh, tools.BranchParent, tools.BranchSession} {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			alive := newBranches(t, policy)
			must(t, alive.next().err)
			alive.commits = nil
			must(t, alive.next().err)
			want, commits := alive.seen(), slices.Clone(alive.commits)
			if len(commits) < 4 {
				t.Fatalf("%d commits", len(commits))
			}
			if n := len(want.conversation); n < 3 || want.conversation[n-2] != "I know: I know: Left." {
				t.Fatalf("conversation %q", want.conversation)
			}
			if len(want.results) != 2 || strings.Contains(want.results[1], "sessionId") != (policy == tools.BranchSession) {
				t.Fatalf("results %q", want.results)
			}
			must(t, alive.next().err)
			then := alive.seen()
			for n, c := range commits {
				b := newBranches(t, policy)
				b.messages, b.state, b.onces, b.ids, b.origin = c.messages, c.state, maps.Clone(c.onces), alive.ids, "2"
				must(t, b.run(Session{Checkpoint: c.checkpoint, Memo: maps.Clone(c.onces), Takeover: true}).err)
				got := b.seen()
				what := fmt.Sprintf("commit %d: ", n+1)
				equal(t, what+"conversation", got.conversation, want.conversation)
				equal(t, what+"branches", got.results, want.results)
				for name, asked := range got.asked {
					all := want.asked[name]
					equal(t, what+name+" was asked", asked, all[len(all)-len(asked):])
				}
				before := got.asked
				must(t, b.next().err)
				got = b.seen()
				equal(t, what+"branches of the next run", got.results, then.results)
				for name := range then.asked {
					equal(t, what+name+" was asked next", got.asked[name][len(before[name]):], then.asked[name][len(want.asked[name]):])
				}
			}
		})
	}
}

// branches is a rig around a specialist that has another one, each in a branch. What its models reply depends on what
// they are asked alone.
type branches struct {
	*rig
	minds map[string]*mind
}

func newBranches(t *testing.T, policy tools.Branch) *branches {
	// A model looks first, says so, and says more when it has the result.
	looks := func(tool string) func(thought) script {
		return func(q thought) script {
			if last := q.Messages[len(q.Messages)-1]; last.Role == "tool" {
				return says("I know: " + plain(last.Content))
			}
			return script{Body: chunk(`"content":"Let me see."`) + "\n" + calls(query(tool, "How?")...).Body}
		}
	}
	minds := map[string]*mind{"boss": {t: t, replies: looks("scout")}, "scout": {t: t, replies: looks("guide")},
		"guide": {t: t, replies: func(thought) script { return says("Left.") }}}
	guide := free(&LLM{Model: minds["guide"].model()}, AsToolOptions{Name: "guide", Branch: policy})
	scout := free(&LLM{Model: minds["scout"].model(), Tools: []Tool{guide}}, AsToolOptions{Name: "scout", Branch: policy})
	ann := &LLM{Model: minds["boss"].model(), Tools: []Tool{scout}}
	return &branches{newRig(t, team(Sequential(), Participant{Name: "ann", Agent: ann}, Participant{Name: "bob", Agent: sayer("Next.")})), minds}
}

// next is the thread's next run.
func (b *branches) next() *stream {
	n := 1
	for _, m := range b.messages {
		if m.Role == agui.RoleUser {
			n++
		}
	}
	b.origin = strconv.Itoa(n)
	return b.say("Question " + b.origin)
}

// branchesSeen describes branches: the conversation around them, the parts of results that people see, without
// the ids that are new on each replica, and what the models were asked.
type branchesSeen struct {
	conversation []string
	results      []string
	asked        map[string][]string
}

func (b *branches) seen() branchesSeen {
	s := branchesSeen{conversation: texts(b.messages), asked: map[string][]string{}}
	for _, m := range b.messages {
		if m.Role != agui.RoleTool || m.Metadata["subAgent"] == nil {
			continue
		}
		var told toolBranch
		must(b.t, json.Unmarshal(m.Metadata["subAgent"], &told))
		if told.Name != "scout" {
			continue
		}
		told.RunID, told.ToolCallID = "", ""
		raw, err := json.Marshal(told)
		must(b.t, err)
		s.results = append(s.results, string(raw))
	}
	for name, m := range b.minds {
		s.asked[name] = m.requests()
	}
	return s
}

// TestASpecialistThatFails is a tool that fails: its result says so, the client gets the status; the turn fails only if
// the tool says so.
func TestASpecialistThatFails(t *testing.T) {
	t.Parallel()
	broken := AgentFunc(func(context.Context, *Turn) error { return errStore })
	boss := newMind(t, calls(query("scout", "a")...), says("Pity."))
	tool := free(broken, AsToolOptions{Name: "scout", Retries: 1})
	r := newRig(t, &LLM{Model: boss.model(), Tools: []Tool{tool}})
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "call scout scout { error agent_failed } scout scout { error agent_failed } scout result The tool failed. Pity.")
	status, b := resultOfCall(t, s, 0)
	equal(t, "status", status, "failed")
	equal(t, "of the last try", b.RunID, announced(s)[1].SubagentRunID)

	tool.OnError = tools.Fails
	codeOf(t, newRig(t, &LLM{Model: newMind(t, calls(query("scout", "a")...)).model(), Tools: []Tool{tool}}).say("go"), errcode.ToolFailed)

	fails := true
	tool = free(sayer("Yes."), AsToolOptions{Name: "scout", Compact: func(context.Context, []Message) ([]Message, error) {
		if fails {
			return nil, errors.New("too long")
		}
		return nil, nil
	}})
	s = newRig(t, &LLM{Model: newMind(t, calls(query("scout", "a")...), says("Pity.")).model(), Tools: []Tool{tool}}).say("go")
	equal(t, "stream", s.shape(), "call scout result The tool failed. Pity.")
}

// TestRow116SpecialistMistakesAreBuildErrors and row 104: what a checkpoint relies on names specialists, too.
func TestRow116SpecialistMistakesAreBuildErrors(t *testing.T) {
	t.Parallel()
	m := newMind(t, says("x")).model()
	loop := &LLM{Model: m}
	loop.Tools = []Tool{AsTool(loop, AsToolOptions{Name: "me"})}
	tools := []Tool{
		AsTool(nil, AsToolOptions{Name: "nobody"}), AsTool(sayer(""), AsToolOptions{Name: "a.b"}), AsTool(sayer(""), AsToolOptions{}),
		AsTool(sayer(""), AsToolOptions{Name: "odd", Branch: "odd"}), AsTool(sayer(""), AsToolOptions{Name: "fat", Branch: tools.BranchFresh,
			Compact: func(context.Context, []Message) ([]Message, error) { return nil, nil }}),
		AsTool(loop, AsToolOptions{Name: "loop"}), AsTool(team(nil), AsToolOptions{Name: "team"}),
	}
	err := team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: m, Tools: tools}}).Validate()
	for _, want := range []string{`"nobody" has no agent`, `must not contain`, `has no name`, `unknown branch "odd"`, "only a fork", "contains itself", "has no manager"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q", err, want)
		}
	}
	nested := &LLM{Model: m, Tools: []Tool{AsTool(team(Sequential(), Participant{Name: "x", Agent: sayer("")}), AsToolOptions{Name: "team", Description: "All of us"})}}
	equal(t, "signature", strings.Join(signatureOf(team(Sequential(), Participant{Name: "ann", Agent: nested})), " "), "ann ann.team ann.team.x")
	equal(t, "told", nested.Describe().Participants[0].Description, "All of us")
	equal(t, "its team", nested.Describe().Participants[0].Participants[0].Name, "x")
	equal(t, "headers", strings.Join(ForwardsOf(&LLM{Tools: []Tool{AsTool(&Remote{o: RemoteOptions{Forward: []string{"X-Tenant"}}}, AsToolOptions{Name: "r"})}}), " "), "X-Tenant")
}
