package gateway_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// costs are those of a thread and of its runs, newest first; nil where a document has none.
func (w *world) costs(id string) (thread *float64, runs []*float64) {
	w.t.Helper()
	var d struct {
		Cost *float64
		Runs []struct{ Cost *float64 }
	}
	_, body := w.call(http.MethodGet, "/threads/"+id, "")
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		w.t.Fatalf("GET /threads/%s = %s: %v", id, body, err)
	}
	for _, run := range d.Runs {
		runs = append(runs, run.Cost)
	}
	return d.Cost, runs
}

func is(cost *float64, want float64) bool { return cost != nil && *cost == want }

// TestCostsOfRunsAndThreads uses models with and without a price. An unknown cost is absent, and never 0.
func TestCostsOfRunsAndThreads(t *testing.T) {
	t.Parallel()
	m := newThinker(t)
	priced := m.priced(t, &model.Price{Input: 3, Output: 10})
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["known"] = &groupchat.LLM{Model: priced}
		o.Agents["unknown"] = &groupchat.LLM{Model: m.model}
		o.Agents["both"] = &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
			{Name: "ann", Agent: &groupchat.LLM{Model: priced}}, {Name: "bob", Agent: &groupchat.LLM{Model: m.model}},
		}}
	})
	w.post("known", input("known", "r1", []string{"u1:go"})).finished()
	w.post("known", input("known", "r2", []string{"u1:go", "u2:again"})).finished()
	if thread, runs := w.costs("known"); !is(thread, 0.0001) || len(runs) != 2 || !is(runs[0], 0.00005) || !is(runs[1], 0.00005) {
		t.Errorf("costs = %v %v, want 0.0001, twice 0.00005", thread, runs)
	}
	w.post("unknown", input("unknown", "r1", []string{"u1:go"})).finished()
	if thread, runs := w.costs("unknown"); thread != nil || len(runs) != 1 || runs[0] != nil {
		t.Errorf("costs without a price = %v %v", thread, runs)
	}
	w.post("both", input("both", "r1", []string{"u1:go"})).finished()
	if thread, runs := w.costs("both"); !is(thread, 0.00005) || !is(runs[0], 0.00005) {
		t.Errorf("costs of which a part is known = %v %v, want 0.00005", thread, runs)
	}
}

// TestCostOfARunThatFails keeps the cost so far.
func TestCostOfARunThatFails(t *testing.T) {
	t.Parallel()
	priced := newThinker(t).priced(t, &model.Price{Input: 3, Output: 10})
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["team"] = &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
			{Name: "ann", Agent: &groupchat.LLM{Model: priced}}, {Name: "bob", Agent: groupchat.AgentFunc(fails)},
		}}
	})
	w.post("team", input("t", "r1", []string{"u1:go"})).code()
	if thread, runs := w.costs("t"); !is(thread, 0.00005) || !is(runs[0], 0.00005) {
		t.Errorf("costs = %v %v, want 0.00005", thread, runs)
	}
}
