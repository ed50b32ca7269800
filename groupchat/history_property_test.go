package groupchat

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// TestAnyHistoryIsWellFormed talks about anything with any limits: every request is one that servers take (the model
// looks at each), has the last words of the user and, if the limit can be kept, is not longer than that.
func TestAnyHistoryIsWellFormed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			h := &history.Policy{Turns: random.IntN(6), Tokens: random.IntN(2) * (300 + random.IntN(3000)), KeepFirst: random.IntN(3), KeepLast: random.IntN(4)}
			if h.Turns > 0 {
				h.KeepLast = min(h.KeepLast, h.Turns)
			}
			if random.IntN(2) == 0 {
				h.Strategy = history.Summarise
			}
			m := &narrow{t: t, window: 2500 + random.IntN(4000)}
			words := func(most int) string { return strings.Repeat("word ", random.IntN(most)+1) }
			m.replies = func(model.Request) model.Reply {
				if random.IntN(3) == 0 {
					var calls []model.Call
					for range 1 + random.IntN(3) {
						calls = append(calls, model.Call{Name: "bulk", Arguments: `{}`})
					}
					return model.Reply{Text: words(20), Calls: calls}
				}
				return model.Reply{Text: words(200)}
			}
			agent := func() *LLM {
				return &LLM{Model: m, Tools: []Tool{bulky(200+random.IntN(3000), 0)}, MaxResult: 1000, History: h}
			}
			var root Agent = agent()
			if random.IntN(2) == 0 {
				root = &Chat{Manager: Sequential(), Participants: []Participant{{Name: "ann", Agent: agent()}, {Name: "bob", Agent: agent()}}}
			}
			r := newRig(t, root)
			for i := range 30 {
				text := fmt.Sprintf("Question %d: %s", i, words(100))
				if random.IntN(10) == 0 && len(r.messages) > 4 {
					r.messages = r.messages[:len(r.messages)-random.IntN(4)-1] // an edit
				}
				if s := r.say(text); s.err != nil {
					t.Fatalf("turn %d: %v", i, s.err)
				}
				for _, q := range m.asked {
					users := 0
					for _, message := range q.Messages {
						if message.Role == agui.RoleUser && message.Text == text {
							users++
						}
					}
					if users != 1 {
						t.Fatalf("turn %d: the user's words are there %d times: %s", i, users, requestLines(q))
					}
				}
				m.asked = nil
			}
			if h.KeepFirst > 0 && h.Tokens > 2500 && m.refused > 12 {
				t.Errorf("%d requests were refused", m.refused)
			}
		})
	}
}

// TestSummariesKeepSecrets never lets messages that one participant does not see get into another's request: each has
// separate summaries.
func TestSummariesKeepSecrets(t *testing.T) {
	t.Parallel()
	open, shut := &narrow{t: t, window: 4000}, &narrow{t: t, window: 4000}
	open.replies = func(q model.Request) model.Reply {
		if resultTold(q) != "" && q.Messages[len(q.Messages)-1].Role == agui.RoleTool {
			return model.Reply{Text: "Noted."}
		}
		return model.Reply{Calls: []model.Call{{Name: "bulk", Arguments: `{}`}}}
	}
	h := &history.Policy{Turns: 3, Strategy: history.Summarise}
	r := newRig(t, &Chat{Manager: Sequential(), History: h, Participants: []Participant{
		{Name: "ann", Agent: &LLM{Model: open, Tools: []Tool{bulky(600, 0)}}},
		{Name: "bob", Agent: &LLM{Model: shut}, Context: Context{Select: func(v View) []Message {
			var list []Message
			for _, m := range v.History() {
				if m.Role == agui.RoleUser && !strings.Contains(m.Content.Text(), "secret") || m.Name == "bob" {
					list = append(list, m)
				}
			}
			return list
		}}},
	}})
	for i := range 20 {
		must(t, r.say(fmt.Sprintf("This is open %d", i)).err)
		must(t, r.say(fmt.Sprintf("This is secret %d", i)).err)
	}
	if len(open.summaries) == 0 || len(shut.summaries) == 0 {
		t.Fatalf("%d and %d summaries were made", len(open.summaries), len(shut.summaries))
	}
	if !strings.Contains(fmt.Sprint(open.summaries), "line 0 of many") || !strings.Contains(fmt.Sprint(open.summaries), "secret") {
		t.Error("what an agent's own tools returned is not in its summaries")
	}
	for _, q := range append(shut.summaries, shut.asked...) {
		if text := fmt.Sprint(q.Messages); strings.Contains(text, "line 0 of many") || strings.Contains(text, "secret") {
			t.Fatalf("what bob does not see is told to it: %s", text)
		}
	}
}

// TestForksAreShort gives a specialist its host's request, its host's view, or the part of it that its history leaves.
func TestForksAreShort(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		inherit bool
		own     *history.Policy
		want    string
	}{
		"all":       {false, nil, "u:Question 0 | u:assistant: Yes"},
		"inherited": {true, nil, "u:[From the system: the conversation is long"},
		"its own":   {false, &history.Policy{Turns: 2}, "u:[From the system: the conversation is long, and a part of it is left out here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, expert := &narrow{t: t, window: 4000}, &narrow{t: t, window: 4000}
			host.replies = func(q model.Request) model.Reply {
				if lastUserText(q) != "Ask the expert" || q.Messages[len(q.Messages)-1].Role == agui.RoleTool {
					return model.Reply{Text: "Yes."}
				}
				return model.Reply{Calls: []model.Call{{Name: "expert", Arguments: `{"query":"Which?"}`}}}
			}
			tool := AsTool(&LLM{Model: expert, History: tt.own}, AsToolOptions{Name: "expert", Description: "knows", Inherit: tt.inherit})
			tool.Approve = tools.ApproveNever
			r := newRig(t, &LLM{Model: host, Tools: []Tool{tool}, History: &history.Policy{Turns: 4, Strategy: history.Summarise}})
			for i := range 8 {
				must(t, r.say(fmt.Sprint("Question ", i)).err)
			}
			must(t, r.say("Ask the expert").err)
			got := requestLines(expert.last())
			_, got, _ = strings.Cut(got, "| ") // the system's
			if !strings.HasPrefix(got, tt.want) || !strings.HasSuffix(got, "u:Which?") {
				t.Errorf("the expert is asked %s", got)
			}
			if has := strings.Contains(fmt.Sprint(expert.last().Messages), "\n\nSummary "); has != tt.inherit {
				t.Errorf("the host's summary: %v", expert.last().Messages)
			}
		})
	}
}

// TestAManagerWithoutEnd lets a model lead a long conversation.
func TestAManagerWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]*history.Policy{"on demand": nil, "summaries": {Tokens: 3000, Strategy: history.Summarise}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &narrow{t: t, window: 4000}
			chosen := 0
			m.replies = func(model.Request) model.Reply {
				if chosen++; chosen%2 == 0 {
					return model.Reply{Text: `{"reason":"","terminate":true}`}
				}
				return model.Reply{Text: `{"reason":"","terminate":false,"next_speaker":"ann"}`}
			}
			speaker := &narrow{t: t, window: 1 << 20}
			r := newRig(t, &Chat{Manager: LLMManager(LLMManagerOptions{Model: m, History: policy}), Participants: []Participant{
				{Name: "ann", Agent: &LLM{Model: speaker, History: &history.Policy{Turns: 2}}},
			}})
			for i := range 120 {
				must(t, r.say(fmt.Sprintf("Question %d: %s", i, strings.Repeat("why ", 30))).err)
			}
			if m.refused > 4 || policy != nil && m.refused > 0 {
				t.Errorf("%d requests were refused", m.refused)
			}
			if policy != nil && len(m.summaries) == 0 {
				t.Error("there is no summary")
			}
		})
	}
}
