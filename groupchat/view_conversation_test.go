package groupchat

import (
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func TestTranscriptIsTheNewestOfWhatWasSaid(t *testing.T) {
	t.Parallel()
	say := func(role agui.Role, name, text string) Message {
		return Message{ID: text, Role: role, Name: name, Content: agui.TextContent(text)}
	}
	v := View{Supervisor: "lead"}.WithHistory([]Message{
		say(agui.RoleUser, "", "old question"), say(agui.RoleAssistant, "ann", strings.Repeat("x", 40)), say(agui.RoleUser, "", "new question"),
		say(agui.RoleTool, "", "a result"), say(agui.RoleAssistant, "ann", "one"), say(agui.RoleAssistant, "ann", " "), say(agui.RoleAssistant, "lead", "two"),
	})
	for max, want := range map[int]string{
		1000: "old question|ann: " + strings.Repeat("x", 40) + "|new question|ann: one|two",
		30:   "new question|ann: one|two",
		5:    "new q…|two",
		12:   "new question|ann: one|two",
	} {
		var got []string
		for _, m := range v.Transcript(max) {
			got = append(got, m.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("Transcript(%d) = %q, want %q", max, got, want)
		}
	}
	if last := v.Transcript(1000)[4]; last.Role != agui.RoleAssistant {
		t.Errorf("the supervisor's words are a %s's", last.Role)
	}
	equal(t, "of nothing", len(View{}.Transcript(10)), 0)
}

// TestConditionsOnWhatWasSaid lets a team be led by the user's words and by each other's.
func TestConditionsOnWhatWasSaid(t *testing.T) {
	t.Parallel()
	inner := team(Rules(Done, Rule{allOf(not(spoke("check")), userSaid("check")), "check"}), Participant{Name: "check", Agent: sayer("nested: fine")})
	chat := team(Rules(Done,
		Rule{allOf(userSaid("refund"), not(said("clerk", "refunded"))), "clerk"},
		Rule{allOf(spoke("clerk"), said("clerk", "refunded")), "team"},
	), Participant{Name: "clerk", Agent: sayer("refunded")}, Participant{Name: "team", Agent: inner})
	r := newRig(t, chat)
	s := r.say("refund, and check it")
	must(t, s.err)
	equal(t, "steps", strings.Join(s.steps(), " "), "clerk team team.check")
	s = r.say("thanks")
	must(t, s.err)
	equal(t, "steps of other words", strings.Join(s.steps(), " "), "")
}
