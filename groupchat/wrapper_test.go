package groupchat_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/model"
)

type modelReply = model.Reply

// A forwarding agent asks, and passes a header on.
type forwarding struct{ groupchat.AgentFunc }

func (forwarding) Forwards() []string { return []string{"X-Tenant"} }

// A timed agent is around another one, as a program would write it.
type timed struct {
	groupchat.Agent
	runs *int
}

func (a timed) Unwrap() groupchat.Agent { return a.Agent }

func (a timed) Run(ctx context.Context, t *groupchat.Turn) error {
	*a.runs++
	return a.Agent.Run(ctx, t)
}

// A circle contains itself.
type circle struct{ groupchat.AgentFunc }

func (c *circle) Unwrap() groupchat.Agent { return c }

// TestAWrapperIsWhatItWraps puts other packages' wrappers around a chat in a chat: the wrapper has the properties of
// the chat.
func TestAWrapperIsWhatItWraps(t *testing.T) {
	t.Parallel()
	runs := 0
	ask := forwarding{func(_ context.Context, t *groupchat.Turn) error {
		answer, err := t.Ask(groupchat.Question{Key: "sure", Message: "Sure?"})
		if err != nil {
			return err
		}
		return groupchat.SayOnce(t, "say", string(answer.Payload))
	}}
	inner := &groupchat.Chat{
		Description: "Asks around", Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "asker", Agent: ask}},
		State: groupchat.StateSpec{Client: []string{"/topic"}},
		Suggester: groupchat.SuggesterFunc(func(context.Context, groupchat.Situation) ([]groupchat.Suggestion, error) {
			return []groupchat.Suggestion{{Title: "Go", Message: "go"}}, nil
		}),
	}
	around := groupchat.Wrap(timed{inner, &runs}, func(ctx context.Context, t *groupchat.Turn) error {
		runs++
		return inner.Run(ctx, t)
	})
	team := func(a groupchat.Agent) *groupchat.Chat {
		return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "team", Agent: a}}}
	}
	wrapped := team(around)
	if got := groupchat.ForwardsOf(wrapped); !slices.Equal(got, []string{"X-Tenant"}) {
		t.Errorf("ForwardsOf() = %q", got)
	}
	if info := wrapped.Describe().Participants[0]; info.Description != "Asks around" || len(info.Participants) != 1 || info.Kind != profile.KindChat {
		t.Errorf("Describe() = %+v", info)
	}
	if st, ok := groupchat.As[groupchat.Stateful](around); !ok || len(st.StateSpec().Client) != 1 {
		t.Error("how the chat uses the state is not known")
	}
	if su, ok := groupchat.As[groupchat.Suggester](around); !ok {
		t.Error("what the chat suggests is not known")
	} else if list, err := su.Suggest(t.Context(), groupchat.Situation{Most: 1}); err != nil || len(list) != 1 {
		t.Errorf("Suggest() = %v, %v", list, err)
	}
	if _, ok := groupchat.As[*groupchat.Concurrent](around); ok {
		t.Error("there is a fan in it")
	}

	s := newStage(t, wrapped)
	if err := s.say("go"); err != nil || s.pause == nil || runs != 1 {
		t.Fatalf("say() = %v, pause %v, %d runs", err, s.pause, runs)
	}
	s.agent = team(inner) // a checkpoint continues without the wrappers
	if err := s.answer(`"yes"`); err != nil || s.said() != `asker: "yes"` {
		t.Errorf("answer() = %v, said %q", err, s.said())
	}
	s = newStage(t, wrapped)
	if err := s.say("go"); err != nil {
		t.Fatal(err)
	}
	s.agent = team(speaks("x")) // the signature reaches through them
	if err := s.answer(`"yes"`); err == nil || !strings.Contains(err.Error(), `"team.asker" is gone`) {
		t.Errorf("answer() of another team = %v", err)
	}

	inner.Participants[0].Agent = nil
	if err := wrapped.Validate(); err == nil || !strings.Contains(err.Error(), `chat.team: participant "asker" has no agent`) {
		t.Errorf("Validate() = %v, want the mistake inside", err)
	}
	for want, bad := range map[string]groupchat.Agent{
		"wrapped more than 64 times": &circle{},
		"wraps no agent":             groupchat.Wrap(nil, around.Run),
		"wrapped in no function":     groupchat.Wrap(speaks("x"), nil),
	} {
		if err := team(bad).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q", err, want)
		}
	}
}
