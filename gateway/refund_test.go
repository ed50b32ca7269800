package gateway_test

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
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// refunds is a model that asks for three refunds in one reply, is away for the reply after them, and then reports the
// results.
type refunds struct {
	mu    sync.Mutex
	asked int
	paid  []string
}

func (s *refunds) Stream(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	var told []string
	for _, m := range r.Messages {
		if m.Role == agui.RoleTool {
			told = append(told, m.Text)
		}
	}
	switch {
	case told == nil:
		var calls []model.Call
		for _, arguments := range []string{`{"who":"ann","sum":30}`, `{"who":"bob","sum":40}`, `{"who":"carl","sum":500}`} {
			calls = append(calls, model.Call{Name: "refund", Arguments: arguments})
		}
		return model.Reply{Calls: calls}, nil
	case s.asked == 2:
		return model.Reply{}, &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("away")}
	}
	return model.Reply{Text: strings.Join(told, "; ")}, nil
}

// pay asks a person under one key, whichever call it is, and pays in one Once.
func (s *refunds) pay(_ context.Context, t *groupchat.Turn, c groupchat.ToolCall) (tools.Result, error) {
	var r struct {
		Who string
		Sum int
	}
	if err := json.Unmarshal(c.Arguments, &r); err != nil {
		return tools.Result{}, err
	}
	if _, err := t.Ask(groupchat.Question{Key: "confirm", Message: fmt.Sprintf("Really %d to %s?", r.Sum, r.Who)}); err != nil {
		return tools.Result{}, err
	}
	paid, err := groupchat.Once(t, "charge", func() (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paid = append(s.paid, fmt.Sprint(r.Who, " ", r.Sum))
		return fmt.Sprintf("paid %d to %s", r.Sum, r.Who), nil
	})
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Text(paid), nil
}

// TestRefundsWithHooksApprovalsAndRetries, through HTTP and the store: the service's hook refuses sums over a limit, a
// person approves and confirms each refund, and neither a model that is away afterwards nor a repeated answer makes any
// of them happen twice.
func TestRefundsWithHooksApprovalsAndRetries(t *testing.T) {
	t.Parallel()
	s := &refunds{}
	w := newWorld(t, func(o *gateway.Options) {
		refund := groupchat.Tool{Name: "refund", Approve: tools.ApproveAlways, Turn: s.pay}
		o.Agents["refunds"] = &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{
			Name: "desk", Agent: &groupchat.LLM{Model: s, Tools: []groupchat.Tool{refund}}, OnError: failure.Policy{Retries: 1, Backoff: -1},
		}}}
		o.Hooks = []groupchat.Hooks{{Name: "sums", Tool: func(ctx context.Context, u groupchat.ToolUse, next groupchat.ToolFunc) (tools.Result, error) {
			if strings.Contains(string(u.Call.Arguments), "500") {
				return tools.Result{}, &tools.Error{Text: "No more than 100."}
			}
			return next(ctx, u)
		}}}
	})
	w.post("refunds", input("t", "r1", []string{"u1:pay them back"}))
	approvals := w.thread("t").Interrupts
	if len(approvals) != 3 {
		t.Fatalf("%d approvals are asked for", len(approvals))
	}
	answer := func(run string, open []agui.Interrupt, payload string) string {
		var list []string
		for _, i := range open {
			list = append(list, `{"interruptId":`+quote(i.ID)+`,"status":"resolved","payload":`+payload+`}`)
		}
		return input("t", run, nil, `"resume":[`+strings.Join(list, ",")+`]`)
	}
	w.post("refunds", answer("r2", approvals, `{"approved":true}`))
	confirmations := w.thread("t").Interrupts
	var asked []string
	for _, i := range confirmations {
		asked = append(asked, i.Message)
	}
	slices.Sort(asked)
	if got := strings.Join(asked, " "); got != "Really 30 to ann? Really 40 to bob?" || len(s.paid) != 0 {
		t.Fatalf("asks %q, paid %q", got, s.paid)
	}
	for range 2 { // the second request only shows the result
		w.post("refunds", answer("r3", confirmations, `"yes"`))
	}
	d := w.shows("t")
	if last := d.Messages[len(d.Messages)-1].Content.Text(); last != "paid 30 to ann; paid 40 to bob; No more than 100." {
		t.Errorf("says %q", last)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.paid)
	if got := strings.Join(s.paid, ", "); got != "ann 30, bob 40" || s.asked != 3 {
		t.Errorf("paid %q, the model was asked %d times", got, s.asked)
	}
}

// TestAHookThatBlocksDoesNotKeepAStopFromEndingTheRun: neither one around a turn nor a filter that hears nothing.
func TestAHookThatBlocksDoesNotKeepAStopFromEndingTheRun(t *testing.T) {
	t.Parallel()
	for name, hooks := range map[string]func(deaf chan struct{}, begun func()) groupchat.Hooks{
		"around a turn": func(deaf chan struct{}, begun func()) groupchat.Hooks {
			return groupchat.Hooks{Turn: func(context.Context, *groupchat.Turn, func(context.Context) error) error { begun(); <-deaf; return nil }}
		},
		"a filter": func(deaf chan struct{}, begun func()) groupchat.Hooks {
			return groupchat.Hooks{Stream: func(*groupchat.Turn) run.Filter {
				return func(agui.Event, run.Emit) error { begun(); <-deaf; return nil }
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deaf, begun := make(chan struct{}), make(chan struct{})
			var once sync.Once
			w := newWorld(t, func(o *gateway.Options) {
				agent := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return groupchat.SayOnce(t, "s", "hi") })
				o.Agents["blocked"] = groupchat.WithHooks(agent, hooks(deaf, func() { once.Do(func() { close(begun) }) }))
			})
			defer close(deaf)
			r := w.open("POST", "/agents/blocked", input("t", "r1", []string{"u1:Hi"}))
			receive(t, "the hook is called", begun)
			if status, body := w.call("POST", "/threads/t/stop", "{}"); status >= 300 {
				t.Fatalf("stop: %d %s", status, body)
			}
			r.rest()
			if runs := w.thread("t").Runs; len(runs) != 1 || runs[0].Status != "cancelled" {
				t.Errorf("the run ends as %v", runs)
			}
		})
	}
}
