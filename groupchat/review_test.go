package groupchat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/profile"
)

func TestReviewApprovesOnAnEmptyAnswerAndIteratesOnComments(t *testing.T) {
	t.Parallel()
	var seen []string
	writer := AgentFunc(func(_ context.Context, t *Turn) error {
		last, _ := t.LastUser()
		all := texts(t.Messages())
		seen = append(seen, strings.Join(all[1:], " / "))
		return SayOnce(t, "say", fmt.Sprintf("draft on %s", strings.ReplaceAll(last.Content.Text(), "\n\n", " ")))
	})
	chat := team(Sequential(), Participant{Name: "writer", Agent: Review(writer, ReviewOptions{Message: "All right?", Instruction: "Revise:"})},
		Participant{Name: "then", Agent: sayer("then")})
	r := newRig(t, chat)
	s := r.say("tea")
	must(t, s.err)
	equal(t, "steps", s.steps(), []string{"writer", "writer.draft"})
	equal(t, "question", where(r.open[0]).Path+" "+r.open[0].Message+" "+r.open[0].Reason, "writer All right? confirmation")
	s = r.answer(map[string]string{"review-1": `"shorter"`})
	must(t, s.err)
	equal(t, "steps", s.steps(), []string{"writer", "writer.draft@2"})
	must(t, r.answer(map[string]string{"review-2": `{"comments":"more formal"}`}).err)
	s = r.answer(map[string]string{"review-3": `" "`})
	must(t, s.err)
	equal(t, "steps", s.steps(), []string{"writer", "then"})
	equal(t, "history", texts(r.messages), []string{"tea", "draft on tea", "draft on Revise: shorter", "draft on Revise: more formal", "then"})
	equal(t, "name", r.messages[1].Name, "writer")
	equal(t, "seen", seen, []string{"", "draft on tea / Revise:\n\nshorter",
		"draft on tea / draft on Revise: shorter / Revise:\n\nshorter / Revise:\n\nmore formal"})
}

func TestReviewedSpeakersHandOverAndTeamsAreKnown(t *testing.T) {
	t.Parallel()
	var targets int
	hands := AgentFunc(func(_ context.Context, t *Turn) error {
		targets = len(t.Handoffs())
		t.Goto("b")
		return SayOnce(t, "say", "over to b")
	})
	inner := team(Sequential(), Participant{Name: "in", Agent: sayer("b")})
	r := newRig(t, team(Handoff(HandoffOptions{Start: "a"}), Participant{Name: "a", Agent: Review(hands, ReviewOptions{})},
		Participant{Name: "b", Agent: Review(inner, ReviewOptions{}), Description: "second"}))
	equal(t, "signature", signatureOf(r.root), signature{"a", "a.draft", "b", "b.draft", "b.draft.in"})
	must(t, r.say("x").err)
	equal(t, "targets", targets, 1)
	s := r.answer(map[string]string{"review-1": `""`})
	must(t, s.err)
	equal(t, "steps", s.steps(), []string{"a", "b", "b.draft", "b.draft.in"})
	info := r.root.(*Chat).Describe()
	equal(t, "info", info.Participants[1], profile.Info{
		Name: "b", Description: "second", Interrupts: true, Participants: []profile.Info{{Name: "in", Interrupts: true}},
		Structure: profile.Structure{Kind: profile.KindChat, Manager: "sequential", Supervisor: "supervisor", HandsOverTo: []string{"a"}},
	})
}
