package faultsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// A team is the agents of one process. Users ask for things by "verb number", and a number is used once.
type team struct {
	w *world
	r *replica
}

// An effect is a change of the world outside, such as a payment.
type effect struct {
	key    string // for idempotency
	visit  int    // of an agent: a process that enters a turn
	number string // that the user named
	value  string
}

func (w *world) agents(r *replica) map[string]groupchat.Agent {
	t := &team{w: w, r: r}
	refund := groupchat.Tool{
		Name: "refund", Description: "Gives money back.",
		Parameters: json.RawMessage(`{"type":"object","required":["number"],"properties":{"number":{"type":"string"}}}`),
		Call: func(ctx context.Context, c groupchat.ToolCall) (tools.Result, error) {
			var a struct{ Number string }
			if err := json.Unmarshal(c.Arguments, &a); err != nil {
				return tools.Result{}, err
			}
			return tools.Text("refunded"), t.does(ctx, effect{key: c.Key, number: a.Number, value: "refund"})
		},
	}
	return map[string]groupchat.Agent{
		"desk": groupchat.AgentFunc(t.serve),
		"till": &groupchat.LLM{
			Model: model.Func(t.reply), Tools: []groupchat.Tool{refund},
			Approve: tools.Approvals{All: true, Remember: []state.ApprovalScope{state.ApprovalThread}},
		},
	}
}

// does makes an effect, which takes time. A frozen process makes it when it thaws, a dead one never.
func (t *team) does(ctx context.Context, e effect) error {
	dice := t.w.dice.next("effect " + e.number)
	if err := t.r.pass(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.w.note(e)
	if err := sleep(ctx, between(dice, 0, 300*time.Millisecond)); err != nil {
		return err
	}
	return t.r.pass()
}

// serve is the desk: it talks, pays and asks.
func (t *team) serve(ctx context.Context, turn *groupchat.Turn) error {
	last, _ := turn.LastUser()
	verb, number, _ := strings.Cut(last.Content.Text(), " ")
	visit := t.w.count()
	switch verb {
	case "talk":
		return t.talk(ctx, turn, number)
	case "pay":
		return t.pay(ctx, turn, visit, number)
	case "ask":
		return t.ask(ctx, turn, visit, number)
	}
	return fmt.Errorf("faultsim: no verb %q", verb)
}

func (t *team) talk(ctx context.Context, turn *groupchat.Turn, number string) error {
	dice := t.w.dice.next("talk " + number)
	text := turn.Text()
	for range dice.IntN(6) + 1 {
		if _, err := text.WriteString(number + " "); err != nil {
			return err
		}
		if err := sleep(ctx, between(dice, 0, 900*time.Millisecond)); err != nil {
			return err
		}
	}
	if err := text.Close(); err != nil {
		return err
	}
	return turn.State().Set("/n", number)
}

// callers is how many goroutines of a turn use one key at the same time.
const callers = 3

// pay makes one payment, and says so once.
func (t *team) pay(ctx context.Context, turn *groupchat.Turn, visit int, number string) error {
	each := func(n int, do func() error) error {
		errs := make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { errs[i] = do() })
		}
		all.Wait()
		return errors.Join(errs...)
	}
	err := each(callers, func() error {
		_, err := groupchat.Once(turn, "pay", func() (string, error) {
			return number, t.does(ctx, effect{key: turn.ID() + "/pay/" + number, visit: visit, number: number, value: "pay"})
		})
		return err
	})
	if err != nil {
		return err
	}
	return each(callers, func() error { return groupchat.SayOnce(turn, "paid", fmt.Sprintf("Paid %s.", number)) })
}

// ask asks a person, and books the answer.
func (t *team) ask(ctx context.Context, turn *groupchat.Turn, visit int, number string) error {
	answer, err := turn.Ask(groupchat.Question{
		Key: "size", Message: "Which size for " + number + "?", Options: []string{"S", "M", "L"},
		Schema: json.RawMessage(`{"type":"object","required":["value"],"properties":{"value":{"enum":["S","M","L"]}}}`),
	})
	if err != nil {
		return err
	}
	var given struct{ Value string }
	if err := answer.Decode(&given); err != nil {
		return err
	}
	booked, err := groupchat.Once(turn, "book", func() (string, error) {
		return given.Value, t.does(ctx, effect{key: turn.ID() + "/book/" + number, visit: visit, number: number, value: given.Value})
	})
	if err != nil {
		return err
	}
	if err := turn.State().Set("/size", booked); err != nil {
		return err
	}
	return groupchat.SayOnce(turn, "booked", fmt.Sprintf("Booked %s.", booked))
}

// reply is the till's model: it calls the tool once for each message of the user.
func (t *team) reply(ctx context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	if err := t.r.pass(); err != nil {
		return model.Reply{}, err
	}
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := r.Messages[i]
		if m.Role == agui.RoleTool {
			return model.Reply{Text: "Done."}, nil
		}
		if m.Role == agui.RoleUser {
			_, number, _ := strings.Cut(m.Text, " ")
			return model.Reply{Calls: []model.Call{{Name: "refund", Arguments: `{"number":"` + number + `"}`}}}, ctx.Err()
		}
	}
	return model.Reply{}, errors.New("faultsim: no message")
}
