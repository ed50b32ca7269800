package upgrades_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// agents are those of the kept threads. The kept checkpoints name their participants, questions and effects: the code
// here must not change, only grow.
type agents struct {
	queue, story, clerk chan struct{} // what the agents that wait wait for
	failing             bool          // those that may fail do
	effects             atomic.Int64  // that were executed
}

func (a *agents) all() map[string]groupchat.Agent {
	refund := groupchat.NewTool("refund", "Pays back",
		func(context.Context, groupchat.ToolCall, struct{}) (string, error) {
			a.effects.Add(1)
			return "paid", nil
		})
	asker := func(key string) groupchat.Agent {
		return groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return chooses(t, key) })
	}
	return map[string]groupchat.Agent{
		"echo":  groupchat.AgentFunc(echoes),
		"ask":   asker("size"),
		"shows": groupchat.AgentFunc(shows),
		"fails": groupchat.AgentFunc(a.fails),
		"orders": groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			if err := chooses(t, "size"); err != nil {
				return err
			}
			return a.order(t)
		}),
		"both": team(groupchat.Sequential(), groupchat.Participant{Name: "panel", Agent: &groupchat.Concurrent{Participants: []groupchat.Participant{
			{Name: "tailor", Agent: asker("size")}, {Name: "painter", Agent: asker("colour")},
		}}}),
		"story": team(groupchat.Sequential(), groupchat.Participant{Name: "opener", Agent: groupchat.AgentFunc(opens)},
			groupchat.Participant{Name: "teller", Agent: groupchat.AgentFunc(a.tells)}),
		"queue": groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error { return waits(ctx, t, a.queue) }),
		"clerk": groupchat.AgentFunc(a.serves),
		"desk": team(groupchat.Handoff(groupchat.HandoffOptions{Start: "triage"}),
			groupchat.Participant{Name: "triage", Agent: groupchat.AgentFunc(hands)}, groupchat.Participant{Name: "billing", Agent: asker("size")}),
		"till": team(groupchat.Sequential(), groupchat.Participant{Name: "cashier", Agent: &groupchat.LLM{
			Model: model.Func(pays), Tools: []groupchat.Tool{refund}, Approve: tools.Approvals{All: true},
		}}),
	}
}

func team(m func() groupchat.Manager, p ...groupchat.Participant) *groupchat.Chat {
	return &groupchat.Chat{Manager: m, Participants: p, State: groupchat.StateSpec{Initial: json.RawMessage(`{"made":true}`)}}
}

// echoes counts its turns in the state and repeats the message.
func echoes(_ context.Context, t *groupchat.Turn) error {
	var n int
	if _, err := t.State().Get("/turns", &n); err != nil {
		return err
	}
	if err := t.State().Set("/turns", n+1); err != nil {
		return err
	}
	m, _ := t.LastUser()
	return groupchat.SayOnce(t, "echo", fmt.Sprintf("You said: %s", m.Content.Text()))
}

// chooses asks a question and keeps the answer in the state.
func chooses(t *groupchat.Turn, key string) error {
	if err := groupchat.SayOnce(t, "hello", "One question first."); err != nil {
		return err
	}
	size, err := groupchat.Choose(t, groupchat.Question{Key: key, Message: "Which " + key + "?"}, "S", "L")
	if err != nil {
		return err
	}
	return t.State().Set("/"+key, size)
}

// shows has the page show a map.
func shows(_ context.Context, t *groupchat.Turn) error {
	seen, err := t.CallTool("map", "show_map", map[string]string{"city": "Paris"})
	if err != nil {
		return err
	}
	return t.State().Set("/seen", seen.Text())
}

var errFailing = errors.New("it fails now")

func (a *agents) fails(_ context.Context, t *groupchat.Turn) error {
	if err := groupchat.SayOnce(t, "try", "I try."); err != nil {
		return err
	}
	if a.failing {
		return errFailing
	}
	return t.State().Set("/tried", true)
}

// order has an effect once, and may fail after it.
func (a *agents) order(t *groupchat.Turn) error {
	n, err := groupchat.Once(t, "order", func() (int64, error) { return a.effects.Add(1), nil })
	if err != nil {
		return err
	}
	if a.failing {
		return errFailing
	}
	return t.State().Set("/ordered", n)
}

func opens(_ context.Context, t *groupchat.Turn) error {
	if err := t.State().Set("/opened", true); err != nil {
		return err
	}
	return groupchat.SayOnce(t, "open", "Once upon a time.")
}

// tells has an effect, says half a sentence, and the rest when it may.
func (a *agents) tells(ctx context.Context, t *groupchat.Turn) error {
	n, err := groupchat.Once(t, "book", func() (int64, error) { return a.effects.Add(1), nil })
	if err != nil {
		return err
	}
	if err := waits(ctx, t, a.story); err != nil {
		return err
	}
	return t.State().Set("/booked", n)
}

func waits(ctx context.Context, t *groupchat.Turn, gate chan struct{}) error {
	text := t.Text()
	if _, err := text.WriteString("Half"); err != nil {
		return err
	}
	if err := t.Emit(&agui.Custom{Name: "test.waiting", Value: json.RawMessage("true")}); err != nil {
		return err
	}
	select {
	case <-gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, err := text.WriteString(" and whole."); err != nil {
		return err
	}
	return text.Close()
}

// serves waits, and keeps what it knows of whom it works for.
func (a *agents) serves(ctx context.Context, t *groupchat.Turn) error {
	if err := waits(ctx, t, a.clerk); err != nil {
		return err
	}
	return t.State().Set("/roles", strings.Join(t.Principal().Roles, " "))
}

// hands hands everything over to billing.
func hands(_ context.Context, t *groupchat.Turn) error {
	t.Goto("billing")
	return groupchat.SayOnce(t, "say", "That is one for billing.")
}

// pays calls the tool, and is done when it has the result.
func pays(_ context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	if last := r.Messages[len(r.Messages)-1]; last.Role == agui.RoleTool {
		reply := model.Reply{Text: "Done: " + last.Text, Finish: "stop"}
		if on.Text == nil {
			return reply, nil
		}
		return reply, on.Text(reply.Text)
	}
	reply := model.Reply{Calls: []model.Call{{Name: "refund", Arguments: "{}"}}, Finish: "tool_calls"}
	if on.Call == nil {
		return reply, nil
	}
	return reply, on.Call(0, "refund", "{}")
}
