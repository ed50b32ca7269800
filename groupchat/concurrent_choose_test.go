package groupchat_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/choose"
	"github.com/agui-gateway/gateway/groupchat/condition"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// TestASelectionIsMadeOnce asks in a fan, dies after the answer, and is taken over: the model has chosen once.
func TestASelectionIsMadeOnce(t *testing.T) {
	t.Parallel()
	died := errors.New("died")
	var fault error
	m := &mind{replies: []string{`{"participants":["a"]}`}}
	ask := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		if _, err := t.Ask(groupchat.Question{Key: "q", Message: "Well?"}); err != nil || fault != nil {
			return errors.Join(err, fault)
		}
		return groupchat.SayOnce(t, "say", "Done.")
	})
	fan := &groupchat.Concurrent{Select: choose.ByModel(choose.Options{Model: m}), Participants: []groupchat.Participant{
		{Name: "a", Agent: ask}, {Name: "b", Agent: speaks("never")},
	}}
	s := newStage(t, &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "fan", Agent: fan}}})
	if err := s.say("go"); err != nil || s.pause == nil {
		t.Fatalf("say() = %v, pause %v", err, s.pause)
	}
	if err := s.answer(`"x"`); err != nil || s.said() != "a: Done." || len(m.asked) != 1 {
		t.Errorf("answer() = %v, said %q after %d calls", err, s.said(), len(m.asked))
	}
	fault, m.replies = died, []string{`{"participants":["a"]}`}
	plain := groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return fault })
	fan.Participants[0].Agent = plain
	if err := s.say("again"); !errors.Is(err, died) {
		t.Fatalf("say() = %v", err)
	}
	fault = nil
	if err := s.takeover(); err != nil || len(m.asked) != 2 {
		t.Errorf("takeover() = %v after %d calls, want the recorded choice", err, len(m.asked))
	}
	s.hooks = []groupchat.Hooks{{Model: func(context.Context, groupchat.ModelCall, groupchat.ModelFunc) (r modelReply, err error) {
		return r, &errcode.Error{Code: errcode.BudgetExceeded, Err: errors.New("spent")}
	}}}
	if err := s.say("once more"); errcode.Of(err) != errcode.BudgetExceeded {
		t.Errorf("say() = %v, want what the hook says: a refusal is no reason to let all work", err)
	}
	none := choose.ByModel(choose.Options{})
	if _, err := none(t.Context(), groupchat.View{Participants: []profile.Info{{Name: "a"}, {Name: "b"}}}); err == nil {
		t.Error("a selection without a model chooses")
	}
}

// A Concurrent lets those work with a condition that holds.
func ExampleConcurrent_select() {
	fan := &groupchat.Concurrent{
		Select: choose.When(map[string]groupchat.Condition{
			"gardener": condition.Equals("/topic", "tea"), "roaster": condition.Equals("/topic", "coffee"),
		}),
		Output:       groupchat.OutputHistory,
		Participants: []groupchat.Participant{{Name: "gardener", Agent: says("Leaves.")}, {Name: "roaster", Agent: says("Beans.")}, {Name: "cook", Agent: says("Water.")}},
	}
	_, err := groupchat.Execute(context.Background(), fan, session(nil, nil))
	fmt.Println("error:", err)
	// Output:
	// gardener: Leaves.
	// cook: Water.
	// error: <nil>
}
