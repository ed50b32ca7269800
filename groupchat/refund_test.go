package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// A refundDesk counts its refunds.
type refundDesk struct {
	mu    sync.Mutex
	paid  []string
	asked int // how often the model was
}

type refund struct {
	Who string `json:"who"`
	Sum int    `json:"sum"`
}

// tool pays back once it was confirmed: every call asks under one key and pays in one Once.
func (s *refundDesk) tool() Tool {
	return Tool{
		Name: "refund", Approve: tools.ApproveAlways,
		Parameters: json.RawMessage(`{"type":"object","required":["who","sum"],"properties":{"who":{"type":"string"},"sum":{"type":"integer"}}}`),
		Turn: func(_ context.Context, t *Turn, c ToolCall) (tools.Result, error) {
			var r refund
			if err := json.Unmarshal(c.Arguments, &r); err != nil {
				return tools.Result{}, err
			}
			a, err := t.Ask(Question{Key: "confirm", Message: fmt.Sprintf("Really %d to %s?", r.Sum, r.Who)})
			if err != nil {
				return tools.Result{}, err
			}
			if string(a.Payload) != `"yes"` {
				return tools.Text("not confirmed"), nil
			}
			paid, err := Once(t, "charge", func() (string, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.paid = append(s.paid, fmt.Sprint(r.Who, " ", r.Sum))
				return fmt.Sprintf("paid %d to %s", r.Sum, r.Who), nil
			})
			if err != nil {
				return tools.Result{}, err
			}
			return tools.Text(paid), nil
		},
	}
}

// Stream calls the tool three times in one reply, is away at its first request with the results, and then says them.
func (s *refundDesk) Stream(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	s.mu.Lock()
	s.asked++
	asked := s.asked
	s.mu.Unlock()
	var told []string
	for _, m := range r.Messages {
		if m.Role == agui.RoleTool {
			told = append(told, m.Text)
		}
	}
	switch {
	case told == nil:
		call := func(who string, sum int) model.Call {
			return model.Call{Name: "refund", Arguments: fmt.Sprintf(`{"who":%q,"sum":%d}`, who, sum)}
		}
		return model.Reply{Calls: []model.Call{call("ann", 30), call("bob", 40), call("carl", 500)}}, nil
	case asked == 2:
		return model.Reply{}, &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("away")}
	}
	return model.Reply{Text: strings.Join(told, "; ")}, nil
}

// noneOver refuses refunds over a sum: by a result, or with a code that fails the turn.
func noneOver(most int, code errcode.Code) Hooks {
	return Hooks{Name: "sums", Tool: func(ctx context.Context, u ToolUse, next ToolFunc) (tools.Result, error) {
		var r refund
		if err := json.Unmarshal(u.Call.Arguments, &r); err != nil || r.Sum > most {
			refused := &tools.Error{Text: fmt.Sprintf("No more than %d.", most), Err: err}
			if code == "" {
				return tools.Result{}, refused
			}
			return tools.Result{}, &errcode.Error{Code: code, Err: refused}
		}
		return next(ctx, u)
	}}
}

// TestRefundsWithHooksApprovalsAndRetries: of three refunds in one reply each is approved and confirmed for itself, the
// one over the sum is refused, and a model that is away afterwards makes no refund happen twice.
func TestRefundsWithHooksApprovalsAndRetries(t *testing.T) {
	t.Parallel()
	s := &refundDesk{}
	desk := WithHooks(&LLM{Model: s, Tools: []Tool{s.tool()}}, noneOver(100, ""))
	r := newRig(t, team(Sequential(), Participant{Name: "desk", Agent: desk, OnError: failure.Policy{Retries: 1, Backoff: -1}}))
	must(t, r.say("pay them back").err)
	equal(t, "approvals", len(r.open), 3)
	answers := map[string]state.Answer{}
	for _, i := range r.open {
		equal(t, "reason", i.Reason, "tool_call")
		answers[i.ID] = state.Answer{ID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)}
	}
	must(t, r.run(Session{Checkpoint: r.checkpoint, Answers: answers}).err)
	var asked []string
	for _, i := range r.open {
		asked = append(asked, i.Message)
	}
	slices.Sort(asked)
	equal(t, "confirmations", asked, []string{"Really 30 to ann?", "Really 40 to bob?"})
	equal(t, "paid before anybody confirmed", len(s.paid), 0)
	must(t, r.answer(map[string]string{"Really 30 to ann?": `"yes"`, "Really 40 to bob?": `"yes"`}).err)
	slices.Sort(s.paid)
	equal(t, "paid", s.paid, []string{"ann 30", "bob 40"})
	equal(t, "said", r.messages[len(r.messages)-1].Content.Text(), "paid 30 to ann; paid 40 to bob; No more than 100.")
	equal(t, "the model was asked", s.asked, 3)
}

// TestARefusalWithACodeIsNotTriedAgain: it fails the turn, and nothing is paid.
func TestARefusalWithACodeIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	s := &refundDesk{}
	tool := s.tool()
	tool.Approve = tools.ApproveNever
	desk := WithHooks(&LLM{Model: s, Tools: []Tool{tool}}, noneOver(10, errcode.GuardrailRefused))
	out := newRig(t, team(Sequential(), Participant{Name: "desk", Agent: desk, OnError: failure.Policy{Retries: 3, Backoff: -1}})).say("pay them back")
	codeOf(t, out, errcode.GuardrailRefused)
	equal(t, "paid", len(s.paid), 0)
	equal(t, "the model was asked", s.asked, 1)
}
