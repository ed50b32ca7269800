package gateway_test

import (
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/budget"
)

// TestBudgetsOfAGateway hold for all of its agents, by what the store has of a thread's usage: each run uses 12 tokens.
func TestBudgetsOfAGateway(t *testing.T) {
	t.Parallel()
	m := newThinker(t)
	w := newWorld(t, func(o *gateway.Options) {
		b, err := budget.New(budget.Limits{Thread: 24})
		if err != nil {
			t.Fatal(err)
		}
		o.Hooks = []groupchat.Hooks{b.Hooks()}
		o.Agents["thinks"] = &groupchat.LLM{Model: m.model}
	})
	for i := range 3 {
		asked := m.asked.Load()
		r := w.post("thinks", input("t", "r"+string(rune('0'+i)), []string{"u" + string(rune('0'+i)) + ":Hi"}))
		r.rest()
		failed, ok := r.last().(*agui.RunError)
		if ok != (i == 2) {
			t.Fatalf("run %d ends with %T", i+1, r.last())
		}
		if ok && (failed.Code != "budget_exceeded" || !strings.HasPrefix(failed.Message, "This conversation has used the tokens") || m.asked.Load() != asked) {
			t.Errorf("run %d ends with %+v, after %d calls more", i+1, failed, m.asked.Load()-asked)
		}
	}
	r := w.post("thinks", input("another", "r", []string{"u1:Hi"}))
	if r.rest(); r.finished().Outcome.Type != agui.OutcomeSuccess {
		t.Errorf("another thread ends with %+v", r.last())
	}
	if d := w.thread("t"); len(d.Messages) < 5 {
		t.Errorf("the thread has %d messages, want that it can be read as before", len(d.Messages))
	}
}

// TestTurnsOfAnAgent are its own setting: a run that takes more ends, and one that takes as many does not.
func TestTurnsOfAnAgent(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{4: "ok", 3: "budget_exceeded", 0: "ok", -1: "ok"} {
		w := newWorld(t, sized, func(o *gateway.Options) {
			o.Agent["turns4"] = gateway.AgentOptions{MaxTurns: most}
		})
		if got := ended(w, "/agents/turns4", input("t", "r", []string{"u1:Hi"}), 0); got != want {
			t.Errorf("with %d turns: %s, want %s", most, got, want)
		}
	}
	w := newWorld(t, sized, func(o *gateway.Options) { o.Limits.Turns = -1 })
	if got := ended(w, "/agents/turns4", input("t", "r", []string{"u1:Hi"}), 0); got != "ok" {
		t.Errorf("without a limit: %s", got)
	}
}
