package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state"
)

// FuzzCheckpoint enters whatever claims to be a checkpoint. It is refused, or it works; it never panics, and the stream
// keeps to the protocol's order, as the rig checks.
func FuzzCheckpoint(f *testing.F) {
	order := AgentFunc(func(_ context.Context, t *Turn) error {
		if err := SayOnce(t, "begin", "Two questions first."); err != nil {
			return err
		}
		answers, err := t.AskAll(Question{Key: "size", Message: "Which size?", Options: []string{"S", "M", "L"}},
			Question{Key: "colour", Message: "Which colour?", Options: []string{"red", "blue"}})
		if err != nil {
			return err
		}
		if err := t.State().Set("/order", answers[0].Payload); err != nil {
			return err
		}
		content, err := t.CallTool("map", "show_map", map[string]string{"city": "Paris"})
		if err != nil {
			return err
		}
		return SayOnce(t, "end", fmt.Sprintf("Ordered %s.", content.Text()))
	})
	fan := &Concurrent{Participants: []Participant{
		{Name: "one", Agent: Review(asker("k"), ReviewOptions{})},
		{Name: "two", Agent: Sub(nested(1, asker("k")), SubOptions{State: Scoping{Kind: ScopeIsolated}, Output: OutputHistory, Result: "/result"})},
	}, Select: func(context.Context, View) ([]string, error) { return []string{"one", "two"}, nil }, Output: OutputHistory}
	chat := team(func() Manager { return &cursor{order: []string{"a", "in", "a", "fan"}} },
		Participant{Name: "a", Agent: order},
		Participant{Name: "in", Agent: nested(2, asker("k")), Scope: Scoping{Kind: ScopeIsolated}},
		Participant{Name: "fan", Agent: fan})
	r := newRig(f, chat)
	must(f, r.say("x").err)
	f.Add([]byte(r.checkpoint), "S", "map")
	for _, seed := range []string{
		``, `null`, `{}`, `{"v":2}`, `{"v":3,"root":{}}`, `{"v":1,"root":{}}`, `{"v":2,"root":{}}`, `{"v":2,"root":{"chat":{"round":-1}}}`,
		`{"v":2,"root":{"id":"1","chat":{"round":1,"manager":1,"turn":{"id":"1/a@1","speaker":"a","subagentRunId":"x","chat":{}}}}}`,
		`{"v":2,"root":{"chat":{"manager":"x"}}}`, `{"v":2,"root":{"chat":{"manager":9}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"in","chat":{"turn":{"speaker":"host"}}},"scopes":{"in":5}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"a","asks":{"size":"i"},"answers":{"size":{"status":""}},"memo":{"say/step/0":1}}}}}`,
		`{"v":2,"signature":["gone"],"root":{}}`, `{"v":2,"root":{"asks":{"k":"i"}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"in","subagentRunId":"s","chat":{"turn":{"speaker":"host","subagentRunId":"s"}}}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"fan","children":{"one":null}}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"a","tools":{"llm/0/0":null}}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"a","asked":{"size":"x"},"asks":{"size":"i"},"tools":{"llm/0/0":{"asks":{"k":""}}}}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"fan","children":{"one":{"speaker":"gone"}}}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"fan","memo":{"fan/selected":1}}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"speaker":"fan","memo":{"fan/selected":["one"]},"children":{"one":{"speaker":"one","done":true,"branch":[{"id":"b","role":"assistant","content":"x"}]}}}}}}`,
		`{"v":2,"root":{"chat":{"turn":{"id":"f","speaker":"fan","subagentRunId":"s","begun":true,"children":{"one":{"id":"o","speaker":"one","children":{"draft":{"speaker":"draft","asks":{"k":"i"},"branch":[{"id":"b"}]}}},` +
			`"two":{"id":"t","speaker":"two","subagentRunId":"s","past":["s",""],"scope":7,"sub":{"begun":true,"scope":{"a":1},"branch":[{"id":"b","role":"tool","toolCallId":"c"}]},"chat":{"round":1,"turn":{"speaker":"leaf","asks":{"k":"i"}}}}}}}}}`,
	} {
		f.Add([]byte(seed), "M", "")
	}
	f.Fuzz(func(t *testing.T, checkpoint []byte, answer, result string) {
		if checkpoint == nil {
			return
		}
		r := newRig(t, chat)
		r.messages = []Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("x")}}
		raw, err := json.Marshal(answer)
		must(t, err)
		s := Session{
			Checkpoint: checkpoint, Answers: map[string]state.Answer{"i": {Status: agui.ResumeResolved, Payload: raw}, "int_5": {Status: agui.ResumeCancelled}},
			Results: map[string]agui.Content{"c": agui.TextContent(result)}, MaxTurns: 20,
		}
		out, _ := r.execute(s)
		if p, ok := errors.AsType[*failure.Panic](out.err); ok {
			t.Fatalf("panic: %v\n%s", p.Value, p.Stack)
		}
		if out.err != nil && errcode.Of(out.err) == errcode.Internal {
			t.Errorf("ended with an error without a code: %v", out.err)
		}
	})
}
