package groupchat

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestRow62RegressionARoutesInstructionTravelsWithIt(t *testing.T) {
	t.Parallel()
	m := RouteTo("/topic", map[string]Destination{" Multi Word ": {Speaker: "a", Instruction: "be brief"}, "b": {Speaker: "b"}}, Destination{Speaker: "b", Instruction: "what is it about?"})
	for topic, want := range map[string]Decision{
		`"MULTI WORD"`: {Speaker: "a", Instruction: "be brief"},
		`"b "`:         {Speaker: "b"},
		`"else"`:       {Speaker: "b", Instruction: "what is it about?"},
	} {
		d, err := decide(t, m, `{"topic":`+topic+`}`, View{})
		must(t, err)
		equal(t, topic, fmt.Sprint(d), fmt.Sprint(want))
	}
	err := RouteTo("/k", map[string]Destination{"x": {}}, Destination{Speaker: "a"})().(Checker).Check([]string{"a"})
	if err == nil || !strings.Contains(err.Error(), `route "x" leads nowhere`) {
		t.Errorf("Check() = %v", err)
	}
}

func TestRow65TheInstructionOfATeamReachesItsFirstSpeakerOnly(t *testing.T) {
	t.Parallel()
	tell := AgentFunc(func(_ context.Context, t *Turn) error {
		return SayOnce(t, "say", fmt.Sprintf("%s:%s", t.Path(), t.Instruction()))
	})
	inner := team(Sequential(), Participant{Name: "one", Agent: tell}, Participant{Name: "two", Agent: tell})
	r := newRig(t, team(RouteTo("/k", nil, Destination{Speaker: "in", Instruction: "be brief"}), Participant{Name: "in", Agent: inner}))
	must(t, r.say("x").err)
	equal(t, "instructions", texts(r.messages), []string{"x", "in.one:be brief", "in.two:"})
}
