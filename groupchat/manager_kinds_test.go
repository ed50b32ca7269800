package groupchat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/model"
)

// A watched manager notes whom the one inside chooses, and can do nothing else.
type watched struct {
	groupchat.Manager
	chosen *[]string
}

func (w watched) Unwrap() groupchat.Manager { return w.Manager }

func (w watched) Next(ctx context.Context, v groupchat.View) (groupchat.Decision, error) {
	d, err := w.Manager.Next(ctx, v)
	*w.chosen = append(*w.chosen, d.Speaker)
	return d, err
}

func watching(inner func() groupchat.Manager, chosen *[]string) func() groupchat.Manager {
	return func() groupchat.Manager { return watched{inner(), chosen} }
}

// TestAWrappedManagerKeepsWhatItCan has another package's manager around one with speakers that hand over: models have
// their tools, the mistakes are found, the turns are limited, and people see who made the choice.
func TestAWrappedManagerKeepsWhatItCan(t *testing.T) {
	t.Parallel()
	var chosen []string
	desk := &mind{replies: []string{"call handoff_to_tech"}}
	inner := groupchat.Handoff(groupchat.HandoffOptions{Start: "desk", Edges: map[string][]string{"desk": {"tech"}}})
	chat := &groupchat.Chat{Manager: watching(inner, &chosen), Participants: []groupchat.Participant{
		{Name: "desk", Agent: &groupchat.LLM{Model: desk}}, {Name: "tech", Agent: speaks("Turn it off.")},
	}}
	s := newStage(t, chat)
	if err := s.say("help"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(s.said(), "| tech: Turn it off.") || strings.Join(chosen, " ") != "desk tech " {
		t.Errorf("said %q, chosen %q", s.said(), chosen)
	}
	if info := chat.Describe(); info.Manager != "handoff" || !info.Handoffs || info.Start != "desk" || !slices.Equal(info.Participants[0].HandsOverTo, []string{"tech"}) {
		t.Errorf("Describe() = %+v", info)
	}
	chat.Manager = watching(groupchat.Handoff(groupchat.HandoffOptions{Start: "nobody"}), &chosen)
	if err := chat.Validate(); err == nil || !strings.Contains(err.Error(), `starts with "nobody"`) {
		t.Errorf("Validate() = %v, want the mistake of the manager inside", err)
	}
	chosen = nil
	chat.Manager = watching(groupchat.Handoff(groupchat.HandoffOptions{Start: "tech", Autonomous: true, TurnsEach: 100, Turns: 3}), &chosen)
	if err := newStage(t, chat).say("go"); err != nil || len(chosen) != 3 {
		t.Errorf("say() = %v, chosen %q, want the limit of the manager inside", err, chosen)
	}
}

// A relay lets each hand over to the one behind it, and none has to say that it is done.
type relay struct{ order []string }

func (relay) Kind() string   { return "relay" }
func (relay) MaxRounds() int { return 2 }

func (r relay) Next(_ context.Context, v groupchat.View) (groupchat.Decision, error) {
	if v.LastSpeaker != "" && v.Goto == "" {
		return groupchat.Decision{Done: true}, nil
	}
	if v.Goto == "" {
		return groupchat.Decision{Speaker: r.order[0]}, nil
	}
	return groupchat.Decision{Speaker: v.Goto}, nil
}

func (r relay) Handoffs(speaker string, all []profile.Info) []profile.Info {
	i := slices.Index(r.order, speaker)
	return slices.DeleteFunc(slices.Clone(all), func(p profile.Info) bool { return i+1 >= len(r.order) || p.Name != r.order[i+1] })
}

// TestAManagerOfOnesOwnLetsSpeakersHandOver has one that is no [groupchat.Handoff] and has tools, a limit and a kind.
func TestAManagerOfOnesOwnLetsSpeakersHandOver(t *testing.T) {
	t.Parallel()
	one, two := &mind{replies: []string{"call handoff_to_b"}}, &mind{replies: []string{"call handoff_to_c"}}
	chat := &groupchat.Chat{Manager: func() groupchat.Manager { return relay{[]string{"a", "b", "c"}} }, Participants: []groupchat.Participant{
		{Name: "a", Agent: &groupchat.LLM{Model: one}}, {Name: "b", Agent: &groupchat.LLM{Model: two}}, {Name: "c", Agent: speaks("never")},
	}}
	s := newStage(t, chat)
	if err := s.say("go"); err != nil {
		t.Fatal(err)
	}
	if strings.Join(s.steps, " ") != "a b" {
		t.Errorf("steps %q, want two: the manager limits them", s.steps)
	}
	if tools := one.asked[0].Tools; len(tools) != 1 || tools[0].Name != "handoff_to_b" {
		t.Errorf("offered %+v, want one tool", tools)
	}
	if info := chat.Describe(); info.Manager != "relay" {
		t.Errorf("the manager is of the kind %q", info.Manager)
	}
}

// A chooser asks a separate model for a name, and counts the choices it has thought about.
type chooser struct {
	model   *mind
	thought *int
}

func (c chooser) Next(ctx context.Context, v groupchat.View) (groupchat.Decision, error) {
	reply, err := v.AskModel(ctx, "who", groupchat.ModelCall{Purpose: model.ForChoice, Model: c.model})
	if err != nil {
		return groupchat.Decision{}, err
	}
	var name string
	if err := v.Once("name", &name, func() error {
		*c.thought++
		name = strings.ToLower(reply.Text)
		return nil
	}); err != nil {
		return groupchat.Decision{}, err
	}
	return groupchat.Decision{Speaker: name, Done: name == groupchat.Done}, nil
}

// TestAManagersChoiceIsRecorded takes a run over in the turn of the one who was chosen by a manager of another package.
func TestAManagersChoiceIsRecorded(t *testing.T) {
	t.Parallel()
	thought, dies := 0, errors.New("died")
	m := &mind{replies: []string{"ANN", "DONE"}}
	alive := false
	chat := &groupchat.Chat{Manager: func() groupchat.Manager { return chooser{m, &thought} }, Participants: []groupchat.Participant{
		{Name: "ann", Agent: groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			if !alive {
				return dies
			}
			return groupchat.SayOnce(t, "say", "Here.")
		})},
	}}
	s := newStage(t, chat)
	var seen []model.Purpose
	s.hooks = []groupchat.Hooks{{Model: func(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc) (r modelReply, err error) {
		seen = append(seen, c.Purpose)
		return next(ctx, c)
	}}}
	if err := s.say("go"); !errors.Is(err, dies) {
		t.Fatalf("say() = %v", err)
	}
	earlier, _ := groupchat.EarlierUsage(s.checkpoint, s.memo, "1")
	if len(earlier) != 1 || *earlier[0].InputTokens != 10 {
		t.Errorf("a takeover would know of %v, want what the choice used", earlier)
	}
	alive = true
	if err := s.takeover(); err != nil {
		t.Fatal(err)
	}
	if s.said() != "ann: Here." || len(m.asked) != 2 || thought != 2 {
		t.Errorf("said %q after %d calls and %d thoughts, want two of each for two rounds", s.said(), len(m.asked), thought)
	}
	if len(seen) != 2 || seen[0] != model.ForChoice || *s.usage.Total()[0].InputTokens != 20 {
		t.Errorf("hooks saw %q, usage %v", seen, s.usage.Total())
	}
	if d, err := (chooser{&mind{replies: []string{"ANN"}}, &thought}).Next(t.Context(), groupchat.View{}); err != nil || d.Speaker != "ann" {
		t.Errorf("outside of a run Next() = %+v, %v", d, err)
	}
}

// A host asks who may begin, in a separate turn, and remembers the answer.
type hostess struct{ Name string }

func (h *hostess) Snapshot() (json.RawMessage, error) { return json.Marshal(h) }
func (h *hostess) Restore(raw json.RawMessage) error  { return json.Unmarshal(raw, h) }

func (h *hostess) Next(_ context.Context, v groupchat.View) (groupchat.Decision, error) {
	switch {
	case h.Name == "":
		return groupchat.Decision{Speaker: v.Supervisor}, nil
	case v.LastSpeaker == "":
		return groupchat.Decision{Speaker: h.Name}, nil
	}
	return groupchat.Decision{Done: true}, nil
}

func (h *hostess) Speak(_ context.Context, t *groupchat.Turn) error {
	answer, err := t.Ask(groupchat.Question{Key: "who", Message: "Who begins?"})
	if err != nil {
		return err
	}
	if err := answer.Decode(&h.Name); err != nil {
		return err
	}
	return groupchat.SayOnce(t, "say", fmt.Sprintf("%s begins.", h.Name))
}

// TestASupervisorAsks has a manager of another package that takes turns itself: it asks and waits, and what it has
// learned is there after a takeover.
func TestASupervisorAsks(t *testing.T) {
	t.Parallel()
	died := errors.New("died")
	var fault error
	ann := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		if fault != nil {
			return fault
		}
		return groupchat.SayOnce(t, "say", "Me.")
	})
	inner := &groupchat.Chat{Supervisor: "lead", Manager: func() groupchat.Manager { return &hostess{} }, Participants: []groupchat.Participant{
		{Name: "ann", Agent: ann}, {Name: "bob", Agent: speaks("I am last.")},
	}}
	outer := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "team", Agent: inner}}}
	for path, agent := range map[string]groupchat.Agent{"lead": inner, "team.lead": outer} {
		s := newStage(t, agent)
		if err := s.say("go"); err != nil || s.pause == nil || s.steps[len(s.steps)-1] != path {
			t.Fatalf("%s: say() = %v, pause %v, steps %q", path, err, s.pause, s.steps)
		}
		fault = died
		if err := s.answer(`"ann"`); !errors.Is(err, died) {
			t.Fatalf("%s: answer() = %v", path, err)
		}
		fault = nil
		if err := s.takeover(); err != nil {
			t.Fatal(err)
		}
		if s.said() != "lead: ann begins. | ann: Me." || slices.Contains(s.steps, path) {
			t.Errorf("%s: said %q in steps %q, want the supervisor's turn to have ended before", path, s.said(), s.steps)
		}
	}
	if info := inner.Describe(); !info.Interrupts || len(info.Participants) != 2 {
		t.Errorf("Describe() = %+v, want a team of two that asks", info)
	}
	inner.Participants[0].Name = "lead"
	if err := inner.Validate(); err == nil || !strings.Contains(err.Error(), "supervisor's name") {
		t.Errorf("Validate() = %v", err)
	}
}
