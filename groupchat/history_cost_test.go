package groupchat

import (
	"context"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/model"
)

// TestARequestCostsWhatIsTold composes requests on threads of 40 and of 4,000 messages: with the same to tell, both
// allocate as often, and are as long.
func TestARequestCostsWhatIsTold(t *testing.T) { //nolint:paralleltest // it counts allocations
	cost := func(turns int) (allocations float64, tokens int) {
		m := &narrow{t: t, window: 1 << 20}
		a := &LLM{Model: m, History: &history.Policy{Turns: 10}}
		r := newRig(t, a)
		for i := range turns {
			text := agui.TextContent(fmt.Sprintf("Message %4d", i))
			r.messages = append(r.messages, Message{ID: fmt.Sprint("q", i), Role: agui.RoleUser, Content: text},
				Message{ID: fmt.Sprint("a", i), Role: agui.RoleAssistant, Content: text})
		}
		must(t, r.say("First").err) // notes the omission
		r.root = AgentFunc(func(_ context.Context, turn *Turn) error {
			run := &llmRun{LLM: a, t: turn, short: newShortener(turn, *a.History, m, "")}
			allocations = testing.AllocsPerRun(20, func() {
				_, err := run.short.Ask(turn.ctx, "cost", run.composed, func(r *model.Request) (*model.Reply, bool, error) {
					tokens = realTokens(*r)
					return &model.Reply{}, false, nil
				})
				must(t, err)
			})
			return nil
		})
		must(t, r.run(Session{}).err)
		return allocations, tokens
	}
	few, short := cost(20)
	many, long := cost(2000)
	if long != short {
		t.Errorf("a request has %d tokens on a long thread, and %d on a short one", long, short)
	}
	if many > few+5 {
		t.Errorf("a request takes %v allocations on a long thread, and %v on a short one", many, few)
	}
}
