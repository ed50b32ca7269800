package gateway_test

import (
	"context"
	"errors"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// TestHooksSeeWhatAMessageIsReadWith, those of an agent and those of the service. A refusal ends the run, and the
// question stays unanswered.
func TestHooksSeeWhatAMessageIsReadWith(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	refuse := false
	hooks := func(name string) groupchat.Hooks {
		return groupchat.Hooks{Name: name, Model: func(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc) (model.Reply, error) {
			seen <- name + " " + string(c.Purpose)
			if refuse {
				return model.Reply{}, &errcode.Error{Code: errcode.GuardrailRefused, Err: errors.New("not this")}
			}
			return next(ctx, c)
		}}
	}
	w := newWorld(t, func(o *gateway.Options) {
		plain := groupchat.Wrap(groupchat.AgentFunc(asksSize), asksSize)
		o.Agents["typed-model"] = groupchat.WithHooks(groupchat.WithHooks(plain, hooks("inner")), hooks("outer"))
		o.Hooks = []groupchat.Hooks{hooks("service")}
	})
	first := w.post("typed-model", input("t", "r1", []string{"u1:go"}))
	first.rest()
	refuse = true
	said := w.thread("t").Messages[1].ID
	second := w.post("typed-model", `{"protocolVersion":"1.0","threadId":"t","runId":"r2","messages":[{"id":`+quote(said)+
		`,"role":"assistant","content":"x"},{"id":"u2","role":"user","content":"the biggest"}]}`)
	second.rest()
	if code := second.code(); code != string(errcode.GuardrailRefused) {
		t.Errorf("the run ends with %q, want %s", code, errcode.GuardrailRefused)
	}
	if got := w.thread("t"); got.Status != "interrupted" || receive(t, "a hook is called", seen) != "service other" {
		t.Errorf("the thread is %s, want the question open", got.Status)
	}
	refuse = false
	third := w.post("typed-model", `{"protocolVersion":"1.0","threadId":"t","runId":"r3","messages":[{"id":"u2","role":"user","content":"the biggest"},`+
		`{"id":"u3","role":"user","content":"the biggest"}]}`)
	third.rest()
	for _, want := range []string{"service other", "outer other", "inner other"} {
		if got := receive(t, "a hook is called", seen); got != want {
			t.Errorf("a hook saw %q, want %q", got, want)
		}
	}
	if got := w.thread("t"); got.Status != "idle" {
		t.Errorf("the thread is %s, want it to have gone on", got.Status)
	}
}
