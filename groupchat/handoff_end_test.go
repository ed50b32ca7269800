package groupchat

import (
	"context"
	"testing"
)

// TestRow24AModelEndsAnAutonomousHandoff offers a model that continues by itself a way to say that it is done.
func TestRow24AModelEndsAnAutonomousHandoff(t *testing.T) {
	t.Parallel()
	m := newMind(t, says("Step one."), script{Body: chunk(`"content":"Step two."`) + "\n" + calls("finish", `{}`).Body})
	build := func(autonomous bool, m *mind) *Chat {
		return team(Handoff(HandoffOptions{Start: "ann", Autonomous: autonomous}),
			Participant{Name: "ann", Agent: &LLM{Model: m.model()}}, Participant{Name: "bob", Agent: sayer("bob")})
	}
	r := newRig(t, build(true, m))
	s := r.say("go")
	must(t, s.err)
	equal(t, "stream", s.shape(), "ann { Step one. } ann ann { Step two. call finish result The work is finished. } ann")
	equal(t, "tools", m.asked[0].tools(), "handoff_to_bob finish")

	m = newMind(t, says("Over to you."))
	must(t, newRig(t, build(false, m)).say("go").err)
	equal(t, "tools where the user answers", m.asked[0].tools(), "handoff_to_bob")
	m = newMind(t, says("Over to you."))
	must(t, newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: m.model()}})).say("go").err)
	equal(t, "tools without handoffs", m.asked[0].tools(), "")
}

// TestRow24AnAutonomousSpeakerHasALimit gives control back to the user when one speaker has gone on for long by itself.
// Handing over begins the count anew.
func TestRow24AnAutonomousSpeakerHasALimit(t *testing.T) {
	t.Parallel()
	works := AgentFunc(func(_ context.Context, t *Turn) error { return SayOnce(t, "say", "Working.") })
	r := newRig(t, team(Handoff(HandoffOptions{Start: "a", Autonomous: true}), Participant{Name: "a", Agent: works}))
	s := r.say("x")
	must(t, s.err)
	equal(t, "turns", len(s.steps()), 10)

	turns := 0
	passes := AgentFunc(func(ctx context.Context, t *Turn) error {
		if turns++; turns%9 == 0 && turns < 30 {
			t.Goto(map[string]string{"a": "b", "b": "a"}[t.Path()])
		}
		return works.Run(ctx, t)
	})
	r = newRig(t, team(Handoff(HandoffOptions{Start: "a", Autonomous: true}), Participant{Name: "a", Agent: passes}, Participant{Name: "b", Agent: passes}))
	s = r.say("x")
	must(t, s.err)
	equal(t, "turns", len(s.steps()), 37)

	asks := AgentFunc(func(ctx context.Context, t *Turn) error { // over pauses, too
		if _, err := t.Ask(Question{Key: "k", Message: "On?"}); err != nil {
			return err
		}
		return works.Run(ctx, t)
	})
	r = newRig(t, team(Handoff(HandoffOptions{Start: "a", Autonomous: true}), Participant{Name: "a", Agent: asks}))
	must(t, r.say("x").err)
	n := 0
	for ; r.checkpoint != nil && n < 20; n++ {
		must(t, r.answer(map[string]string{"k": "1"}).err)
	}
	equal(t, "turns", n, 10)
}

// TestRow24AnAutonomousSpeakerThatDoesNothing gives control back to the user: it would do nothing again.
func TestRow24AnAutonomousSpeakerThatDoesNothing(t *testing.T) {
	t.Parallel()
	m := newMind(t, says("Step one."), script{Body: finish("stop")})
	s := newRig(t, team(Handoff(HandoffOptions{Start: "a", Autonomous: true}), Participant{Name: "a", Agent: &LLM{Model: m.model()}})).say("go")
	must(t, s.err)
	equal(t, "steps", s.steps(), []string{"a", "a"})
}
