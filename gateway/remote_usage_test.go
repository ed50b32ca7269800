package gateway_test

import (
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// What the models of another gateway's team use is in the usage of the run here, and in the thread's.
func TestUsageThroughGateways(t *testing.T) {
	t.Parallel()
	m := newThinker(t)
	there := newHouse(t, map[string]groupchat.Agent{"desk": &groupchat.LLM{Model: m.model}})
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["desk"] = through(t, "desk", there.URL+"/agents/desk")
	})
	used(t, "the first run", w.post("desk", input("t", "r1", []string{"u1:go"})).finished().Usage, tokens(1))
	used(t, "the second run", w.post("desk", input("t", "r2", []string{"u1:go", "u2:again"})).finished().Usage, tokens(1))
	used(t, "the thread", w.usage("t"), tokens(2))
}
