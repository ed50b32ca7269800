package groupchat

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

func TestToolsRunAtOnceAndAnswerInOrder(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("a", `{}`, "b", `{}`), says("Done."))
	b := make(chan struct{})
	tool := func(name string, f func()) Tool {
		return Tool{Name: name, Call: func(context.Context, ToolCall) (tools.Result, error) { f(); return tools.Text(name), nil }}
	}
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{tool("a", func() { <-b }), tool("b", func() { close(b) })}})
	equal(t, "stream", r.say("go").shape(), "call a call b result a result b Done.")
}

func TestToolTimeouts(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(context.Context) error{
		"listens": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"deaf":    func(context.Context) error { time.Sleep(time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMind(t, calls("f", `{}`, "g", `{}`), says("Done."))
				call := func(ctx context.Context, _ ToolCall) (tools.Result, error) { return tools.Text("late"), f(ctx) }
				r := newRig(t, &LLM{Model: m.model(), ToolTimeout: 10 * time.Second,
					Tools: []Tool{{Name: "f", Call: call}, {Name: "g", Call: call, Timeout: 20 * time.Second}}})
				start := time.Now()
				s := r.say("go")
				equal(t, "stream", s.shape(), "call f call g result The tool took too long. result The tool took too long. Done.")
				equal(t, "took", time.Since(start), 20*time.Second)
				time.Sleep(2 * time.Hour) // the deaf end
			})
		})
	}
}

// TestTurnTools write to the state, and are entered again after a takeover, which withdraws what they did.
func TestTurnTools(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("book", `{"city":"Paris"}`), says("Booked."))
	book := NewTurnTool("book", "Books", func(_ context.Context, t *Turn, c ToolCall, in struct {
		City string `json:"city"`
	}) (tools.Result, error) {
		return tools.Result{Content: agui.TextContent("ok"), Metadata: agui.Metadata{"key": json.RawMessage(strconv.Quote(c.Key))}}, t.State().Set("/booked", in.City)
	})
	fails := NewTurnTool("fails", "", func(context.Context, *Turn, ToolCall, struct{}) (string, error) { panic("boom") })
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{book, fails}})
	s := r.say("go")
	equal(t, "stream", s.shape(), "call book state result ok Booked.")
	equal(t, "state", string(r.state), `{"booked":"Paris"}`)
	for _, e := range s.events {
		if result, ok := e.(*agui.ToolCallResult); ok && len(result.Metadata["key"]) != 34 {
			t.Errorf("metadata = %s", result.Metadata)
		}
	}
	before := r.messages[:1]
	r = newRig(t, r.root)
	r.messages = before
	s = r.run(Session{Memo: map[string]json.RawMessage{"1/once/llm/0": json.RawMessage(`{"calls":[{"name":"book","arguments":"{\"city\":\"Rome\"}"},{"name":"fails","arguments":""}],"finish":"stop"}`)}, Takeover: true})
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "call book call fails state result ok result The tool failed. Booked.")
	equal(t, "state", string(r.state), `{"booked":"Rome"}`)
}
