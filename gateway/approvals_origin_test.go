package gateway_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// TestAnApprovalIsOfOneEndpoint approves calls of one endpoint, beforehand or by an open question. After a reload with
// another endpoint the calls need a new approval.
func TestAnApprovalIsOfOneEndpoint(t *testing.T) {
	for name, pending := range map[string]bool{"beforehand": false, "by an open question": true} {
		t.Run(name, func(t *testing.T) {
			var sandbox, live atomic.Int32
			m := modeltest.New(t, modeltest.Calls("pay", `{}`))
			if !pending {
				m.Add(modeltest.Text("a"), modeltest.Calls("pay", `{}`))
			}
			agent := func(url string, hits *atomic.Int32) groupchat.Agent {
				pay := groupchat.Tool{Name: "pay", Destructive: true, Origin: tools.Origin(url), Call: func(context.Context, groupchat.ToolCall) (tools.Result, error) {
					hits.Add(1)
					return tools.Text("ok"), nil
				}}
				return &groupchat.LLM{Model: m, Tools: []groupchat.Tool{pay}, Approve: tools.Approvals{Remember: []state.ApprovalScope{"principal"}}}
			}
			w := newWorld(t, func(g *gateway.Options) {
				g.Agents, g.Agent = map[string]groupchat.Agent{"shop": agent("http://sandbox.test/pay", &sandbox)}, nil
			})
			asked := w.post("shop", input("t", "r1", []string{"u1:Buy"})).finished().Outcome.Interrupts
			reload := func() {
				if _, err := w.g.Replace(map[string]groupchat.Agent{"shop": agent("http://live.test/pay", &live)}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if pending {
				reload()
			}
			r := w.post("shop", `{"protocolVersion":"1.0","threadId":"t","runId":"r2","messages":[],"resume":[{"interruptId":`+quote(asked[0].ID)+
				`,"status":"resolved","payload":{"approved":true,"remember":"principal"}}]}`)
			if !pending {
				reload()
				r = w.post("shop", input("t2", "r3", []string{"u2:Buy more"}))
			}
			if r.finished().Outcome.Type != agui.OutcomeInterrupt || live.Load() > 0 || (sandbox.Load() == 0) != pending {
				t.Errorf("outcome %s, %d and %d calls", r.finished().Outcome.Type, sandbox.Load(), live.Load())
			}
		})
	}
}
