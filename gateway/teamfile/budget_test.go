package teamfile

import (
	"context"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/budget"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// uses is a provider of a model that uses 10 tokens in each call.
func uses(model.Config) (model.Model, error) {
	return model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		n := int64(10)
		return model.Reply{Text: "Hm.", Usage: agui.TokenUsage{Provider: "uses", Model: "m", TotalTokens: &n}}, nil
	}), nil
}

// TestBudgetsOfAFile holds each key to what it says: how many messages are answered before one is refused. The budget
// of a part holds within its team, and a mistake of an agent with a budget is found.
func TestBudgetsOfAFile(t *testing.T) {
	t.Parallel()
	for budget, answered := range map[string]int{
		"{ run: 10 }": 4, "{ thread: 20 }": 2, "{ thread: 11 }": 2, "{ thread: 10 }": 1, "{ principal: 30, window: " +
			"1h }": 3, "{ turns: 9 }": 4,
		"{ run: 20, thread: 30 }": 3,
	} {
		for where, text := range map[string]string{
			"of an agent": "  a: { type: llm, budget: " + budget + " }\n",
			"of a part": "  a: { type: groupchat, manager: { type: sequential }, participants: [ { name: b, " +
				"agent: b } ] }\n  b: { type: llm, budget: " + budget + " }\n",
			"of a part's team": "  a: { type: groupchat, budget: " + budget + ", manager: { type: sequential }, " +
				"participants: [ { name: b, type: llm } ] }\n",
		} {
			if where == "of a part" && budget == "{ turns: 9 }" {
				continue // a mistake: turns belong to a run, and a part has no run
			}
			o := testOptions(nil)
			o.Providers = map[string]model.Provider{"uses": uses}
			team, err := parse("team.yaml", []byte("version: 1\nmodels: { default: { type: uses } "+
				"}\nagents:\n"+text), o)
			if err != nil {
				t.Fatal(err)
			}
			th := thread.New(team.Agents["a"], thread.Options{})
			got := 0
			for range 4 {
				_, err := th.Say(t.Context(), "go")
				if err != nil {
					if errcode.Of(err) != errcode.BudgetExceeded {
						t.Fatal(err)
					}
					break
				}
				got++
			}
			if got != answered {
				t.Errorf("%s %s: %d messages are answered, want %d", budget, where, got, answered)
			}
			if budget == "{ turns: 9 }" && team.Options["a"].MaxTurns != 9 {
				t.Errorf("%s %s: the gateway is told %d", budget, where, team.Options["a"].MaxTurns)
			}
		}
	}
	_, err := parse("team.yaml", []byte("version: 1\nagents: { a: { type: groupchat, budget: { run: 5 }, manager: { "+
		"type: round_robin }, participants: [ { name: supervisor, type: travel } ] } }\n"), testOptions(nil))
	if err == nil {
		t.Error("a mistake of an agent with a budget is not found")
	}
}

// TestBudgetsSurviveAReload reads one file several times, as SIGHUP does.
func TestBudgetsSurviveAReload(t *testing.T) {
	t.Parallel()
	const text = "version: 1\nmodels: { default: { type: uses } }\nagents:\n  a: { type: llm, budget: { principal: " +
		"10, window: 24h } }\n"
	o := testOptions(nil)
	o.Providers, o.Budgets = map[string]model.Provider{"uses": uses}, &budget.Ledger{}
	answered := 0
	for range 5 {
		team, err := parse("team.yaml", []byte(text), o)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			input := groupchat.Input{Principal: groupchat.Principal{ID: "ada"}}
			if _, err := thread.New(team.Agents["a"], thread.Options{Input: input}).Say(t.Context(), "go"); err == nil {
				answered++
			}
		}
	}
	if answered != 1 {
		t.Errorf("%d answers of 10 tokens, where 10 may be used", answered)
	}
}
