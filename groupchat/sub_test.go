package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// spy says all it can get to know.
func spy(ctx context.Context, t *Turn) error {
	last, _ := t.LastUser()
	if err := SayOnce(t, "sees", fmt.Sprintf("%s|%s|%s", strings.Join(texts(t.Messages()), ","), last.Content.Text(), t.State().JSON())); err != nil {
		return err
	}
	return asker("k").Run(ctx, t)
}

func TestRow63SubInputsAreWorkedOutInTheParentAndRow64NothingElseIsVisible(t *testing.T) {
	t.Parallel()
	computed := 0
	inner := team(Sequential(), Participant{Name: "a", Agent: sayer("before")}, Participant{Name: "spy", Agent: AgentFunc(spy)})
	o := SubOptions{
		State: Scoping{Kind: ScopeIsolated},
		Inputs: map[string]func(View) (any, error){
			"topic": FromState("/subject"), "none": FromState("/nothing"),
			"asked": func(v View) (any, error) {
				computed++
				last, _ := v.LastUser()
				return last.Content.Text() + " " + v.LastSpeaker, nil
			},
		},
	}
	r := newRig(t, team(Sequential(), Participant{Name: "host", Agent: sayer("secret")}, Participant{Name: "in", Agent: Sub(inner, o)}))
	r.state = json.RawMessage(`{"subject":"tea","other":"secret"}`)
	must(t, r.say("question").err)
	equal(t, "the spy", r.messages[3].Content.Text(), `before||{"asked":"question host","none":null,"topic":"tea"}`)
	equal(t, "state", string(r.state), `{"other":"secret","subject":"tea"}`)
	r.messages = append(r.messages, Message{ID: "late", Role: agui.RoleUser, Content: agui.TextContent("meanwhile")})
	must(t, r.answer(map[string]string{"k": "1"}).err)
	equal(t, "worked out", computed, 1)
}

func TestRow39WrappedASubSeesMessagesTypedItSeesInputs(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "spy", Agent: AgentFunc(spy)})
	inputs := map[string]func(View) (any, error){"n": func(View) (any, error) { return 7, nil }}
	own := Scoping{Kind: ScopeIsolated}
	for want, o := range map[string]SubOptions{
		`x,host|x|{"s":1}`: {},
		`x,host|x|{}`:      {State: own},
		`||{"n":7}`:        {State: own, Inputs: inputs},
		`x|x|{"n":7}`:      {State: own, Inputs: inputs, Messages: func(v View) []Message { return v.History()[:1] }},
		`||{"t":1}`:        {State: Scoping{Kind: ScopeMapped, Mapping: document.Mapping{In: map[string]string{"t": "/s"}}}, Messages: func(View) []Message { return nil }},
	} {
		r := newRig(t, team(Sequential(), Participant{Name: "host", Agent: sayer("host")}, Participant{Name: "in", Agent: Sub(inner, o)}))
		r.state = json.RawMessage(`{"s":1}`)
		must(t, r.say("x").err)
		equal(t, "sees", r.messages[2].Content.Text(), want)
		must(t, r.answer(map[string]string{"k": "1"}).err)
	}
}

func TestRow42OutputOfASub(t *testing.T) {
	t.Parallel()
	for output, want := range map[OutputMode]struct {
		shown, others, manager string
	}{
		OutputBoth:    {"x, one, two heard one, 1", "x, one, two heard one, 1", "x, one, two heard one, 1"},
		OutputDirect:  {"x, one, two heard one, 1", "x", "x"},
		OutputHistory: {"x, 1", "x, 1", "x, 1"},
		OutputNone:    {"x", "x", "x"},
	} {
		inner := team(Sequential(), Participant{Name: "a", Agent: sayer("one")},
			Participant{Name: "b", Agent: AgentFunc(func(ctx context.Context, t *Turn) error {
				all := texts(t.Messages())
				if err := SayOnce(t, "heard", fmt.Sprintf("two heard %s", all[len(all)-1])); err != nil {
					return err
				}
				return asker("k").Run(ctx, t)
			})})
		var seen, managed []string
		listener := AgentFunc(func(_ context.Context, t *Turn) error { seen = texts(t.Messages()); return nil })
		chat := team(func() Manager {
			return managerFunc(func(_ context.Context, v View) (Decision, error) {
				managed = texts(v.History())
				return []Decision{{Speaker: "in"}, {Speaker: "then"}, {Done: true}}[v.Round], nil
			})
		}, Participant{Name: "in", Agent: Sub(inner, SubOptions{Output: output, Result: "/result"})}, Participant{Name: "then", Agent: listener})
		r := newRig(t, chat)
		s := r.say("x")
		must(t, s.err)
		equal(t, "asks", where(r.open[0]).Path, "in.b")
		second := r.answer(map[string]string{"k": "1"})
		must(t, second.err)
		equal(t, string(output)+": shown", strings.Join(texts(r.messages), ", "), want.shown)
		equal(t, string(output)+": seen by others", strings.Join(seen, ", "), want.others)
		equal(t, string(output)+": seen by the manager", strings.Join(managed, ", "), want.manager)
		equal(t, string(output)+": result", string(r.state), `{"result":"1"}`)
		steps := strings.Join(second.steps(), " ")
		if hidden := output.ownConversation(); hidden != (steps == "in then") {
			t.Errorf("%s: steps %s", output, steps)
		}
		if output == OutputHistory {
			equal(t, "said by", r.messages[1].Name, "in")
		}
		seen = nil
		must(t, r.say("again").err) // hidden messages are not in the next run either
		must(t, r.answer(map[string]string{"k": "2"}).err)
		heard := strings.Contains(strings.Join(seen, ", "), "1")
		equal(t, string(output)+": heard in the next run", heard, output == OutputBoth || output == OutputHistory)
	}
}

func TestRow58AResultIsReadableByTheNextAndRow66ItsWordsAreStreamed(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "a", Agent: sayer("several words")})
	reader := AgentFunc(func(_ context.Context, t *Turn) error {
		var result string
		if _, err := t.State().Get("/result", &result); err != nil {
			return err
		}
		return SayOnce(t, "say", fmt.Sprintf("got:%s", result))
	})
	r := newRig(t, team(Sequential(), Participant{Name: "in", Agent: Sub(inner, SubOptions{Result: "/result"})}, Participant{Name: "then", Agent: reader}))
	s := r.say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "in { in.a { several  words } in.a state } in then { got:several  words } then")
}

func TestRow46TheParentMayAnswerAChildsQuestion(t *testing.T) {
	t.Parallel()
	type try struct {
		answer ask.Answer
		ok     bool
		err    error
	}
	number := json.RawMessage(`{"type":"number"}`)
	check := func(a ask.Answer) error {
		if string(a.Payload) != "7" {
			return errors.New("not seven")
		}
		return nil
	}
	leaf := AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.Ask(Question{Key: "k", Schema: number, Check: check})
		if err != nil {
			return err
		}
		return SayOnce(t, "said", fmt.Sprintf("%v %s", a.Cancelled, a.Payload))
	})
	for what, test := range map[string]struct {
		try
		said string
		open string
		code errcode.Code
	}{
		"answered":   {try{ask.Answer{Payload: json.RawMessage(`7`)}, true, nil}, "false 7", "", ""},
		"called off": {try{ask.Answer{Cancelled: true}, true, nil}, "true ", "", ""},
		"left":       {try{}, "", "in.deep.leaf.k", ""},
		"wrong":      {try{ask.Answer{Payload: json.RawMessage(`8`)}, true, nil}, "", "in.deep.leaf.k#2", ""},
		"no number":  {try{ask.Answer{Payload: json.RawMessage(`"8"`)}, true, nil}, "", "", errcode.AgentFailed},
		"failed":     {try{ask.Answer{}, false, errors.New("no policy")}, "", "", errcode.AgentFailed},
	} {
		var heard []string
		asked := SubOptions{OnAsk: func(_ context.Context, t *Turn, q Asked) (ask.Answer, bool, error) {
			heard = append(heard, t.Path()+"<"+q.Path+"."+q.Key)
			return test.answer, test.ok, test.err
		}}
		inner := team(Sequential(), Participant{Name: "deep", Agent: team(Sequential(), Participant{Name: "leaf", Agent: leaf})})
		r := newRig(t, team(Sequential(), Participant{Name: "in", Agent: Sub(inner, asked)}))
		s := r.say("x")
		codeOf(t, s, test.code)
		equal(t, what+": heard", heard[0], "in<in.deep.leaf.k")
		open := ""
		for _, i := range r.open {
			open += where(i).Path + "." + where(i).Key
		}
		equal(t, what+": open", open, test.open)
		if test.said != "" {
			equal(t, what+": said", r.messages[1].Content.Text(), test.said)
			equal(t, what+": heard once", len(heard), 1)
		}
		if test.open != "" {
			must(t, r.answer(map[string]string{where(r.open[0]).Key: "7"}).err)
			equal(t, what+": a person's answer", r.messages[1].Content.Text(), "false 7")
		}
	}
}

// TestAnAnsweredQuestionIsProgress counts a turn with a question that was answered for a person as one that did
// something, as one with a person's answer.
func TestAnAnsweredQuestionIsProgress(t *testing.T) {
	t.Parallel()
	asked := 0
	asks := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.Ask(Question{Key: "k", Message: "On?"})
		return err
	})
	answers := SubOptions{OnAsk: func(context.Context, *Turn, Asked) (ask.Answer, bool, error) {
		asked++
		return ask.Answer{Payload: json.RawMessage(`true`)}, true, nil
	}}
	chat := team(Rules("a"), Participant{Name: "a", Agent: Sub(asks, answers)})
	chat.MaxRounds = 3
	must(t, newRig(t, chat).say("x").err)
	equal(t, "asked", asked, 3)
}

func TestRow36And52ASubIsSharedAndKeepsNothing(t *testing.T) {
	t.Parallel()
	shared := Sub(team(Sequential(), Participant{Name: "q", Agent: asker("k")}), SubOptions{State: Scoping{Kind: ScopeIsolated}, Output: OutputHistory})
	fan := &Concurrent{Participants: []Participant{{Name: "one", Agent: shared}, {Name: "two", Agent: shared}}}
	r := newRig(t, fan)
	must(t, r.say("x").err)
	paths := where(r.open[0]).Path + " " + where(r.open[1]).Path
	equal(t, "askers", paths, "one.q two.q")
	answers := map[string]state.Answer{}
	for _, i := range r.open {
		payload := state.Canonical([]byte(`"` + where(i).Path + `"`))
		answers[i.ID] = state.Answer{ID: i.ID, Status: agui.ResumeResolved, Payload: payload}
	}
	must(t, r.run(Session{Checkpoint: r.checkpoint, Answers: answers}).err)
	for _, m := range r.messages[1:] {
		equal(t, "answer of "+m.Name, m.Content.Text(), `"`+m.Name+`.q"`)
	}
}

func TestRow53AFailureNamesWhereItHappened(t *testing.T) {
	t.Parallel()
	inner := team(Sequential(), Participant{Name: "leaf", Agent: failing(&errcode.Error{Code: errcode.ToolFailed, Err: errors.New("boom")})})
	mid := team(Sequential(), Participant{Name: "sub", Agent: Sub(inner, SubOptions{})})
	s := newRig(t, team(Sequential(), Participant{Name: "mid", Agent: mid})).say("x")
	codeOf(t, s, errcode.ToolFailed)
	where, ok := errors.AsType[*failure.PathError](s.err)
	if !ok || where.Path != "mid.sub.leaf" || !strings.Contains(s.err.Error(), "boom") {
		t.Errorf("ended with %v, want it to name mid.sub.leaf", s.err)
	}
	var ended []string
	for _, e := range s.events {
		if e, ok := e.(*agui.SubagentError); ok {
			ended = append(ended, e.Code)
		}
	}
	equal(t, "every level says so", ended, []string{"tool_failed", "tool_failed", "tool_failed"})
	// And with a policy the parent skips it.
	r := newRig(t, team(Sequential(), Participant{Name: "mid", Agent: mid, OnError: failure.Policy{Skip: true}}, Participant{Name: "b", Agent: sayer("b")}))
	must(t, r.say("x").err)
	equal(t, "history", texts(r.messages), []string{"x", "b"})
}

func TestAFrontendCallOutOfSightReachesTheClient(t *testing.T) {
	t.Parallel()
	caller := AgentFunc(func(_ context.Context, t *Turn) error {
		result, err := t.CallTool("map", "show_map", nil)
		if err != nil {
			return err
		}
		return SayOnce(t, "say", fmt.Sprintf("saw %s", result.Text()))
	})
	inner := team(Sequential(), Participant{Name: "leaf", Agent: caller})
	r := newRig(t, team(Sequential(), Participant{Name: "in", Agent: Sub(inner, SubOptions{Output: OutputHistory})}))
	s := r.say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "in { call show_map")
	s = r.returns(map[string]string{"show_map": "Paris"})
	must(t, s.err)
	equal(t, "said", s.shape(), "in { saw Paris } in")
	// One that will get no answer any more gets a result.
	boom := AgentFunc(func(ctx context.Context, t *Turn) error { _ = caller.Run(ctx, t); return errors.New("boom") })
	inner = team(Sequential(), Participant{Name: "leaf", Agent: boom})
	s = newRig(t, team(Sequential(), Participant{Name: "in", Agent: Sub(inner, SubOptions{Output: OutputNone}), OnError: failure.Policy{Skip: true}})).say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "in { call show_map result not answered error agent_failed } in")
}

func TestASubThatFitsNoTeam(t *testing.T) {
	t.Parallel()
	chat := team(Sequential(), Participant{Name: "a", Agent: sayer("a")})
	input := map[string]func(View) (any, error){"n": FromState("/n")}
	for want, o := range map[string]SubOptions{
		"inputs need a state":       {Inputs: input},
		`input "n" has no function`: {Inputs: map[string]func(View) (any, error){"n": nil}, State: Scoping{Kind: ScopeIsolated}},
		`unknown output "odd"`:      {Output: "odd"},
		`unknown scope "odd"`:       {State: Scoping{Kind: "odd"}},
	} {
		err := team(Sequential(), Participant{Name: "in", Agent: Sub(chat, o)}).Validate()
		if err == nil || !strings.Contains(err.Error(), "chat.in: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want it to contain %s", err, want)
		}
	}
	loop := team(Sequential())
	loop.Participants = []Participant{{Name: "me", Agent: Sub(loop, SubOptions{})}}
	if err := loop.Validate(); err == nil || !strings.Contains(err.Error(), "contains itself") {
		t.Errorf("Validate() = %v", err)
	}
	bad := map[string]func(View) (any, error){"n": func(View) (any, error) { return nil, errors.New("no") }}
	r := newRig(t, team(Sequential(), Participant{Name: "in", Agent: Sub(chat, SubOptions{Inputs: bad, State: Scoping{Kind: ScopeIsolated}}), OnError: failure.Policy{Retries: 1}}))
	codeOf(t, r.say("x"), errcode.AgentFailed)
}

// TestARootSubObeysItsFilter shows an agent that is a thread's root what its Sub lets it see, as anywhere else.
func TestARootSubObeysItsFilter(t *testing.T) {
	t.Parallel()
	var seen [][]string
	watches := AgentFunc(func(_ context.Context, t *Turn) error {
		last, _ := t.LastUser()
		seen = append(seen, texts(t.Messages()), []string{last.Content.Text()})
		if err := SayOnce(t, "say", "Seen."); err != nil {
			return err
		}
		seen = append(seen, texts(t.Messages()))
		return nil
	})
	only := SubOptions{Messages: func(v View) []Message { return v.History()[len(v.History())-1:] }}
	for _, root := range []Agent{Sub(watches, only), team(Sequential(), Participant{Name: "p", Agent: Sub(watches, only)})} {
		seen = nil
		r := newRig(t, root)
		must(t, r.say("one").err)
		must(t, r.say("two").err)
		equal(t, "seen", seen[3:], [][]string{{"two"}, {"two"}, {"two", "Seen."}})
	}
	m := newMind(t, says("Yes."))
	r := newRig(t, Sub(&LLM{Model: m.model()}, SubOptions{Messages: func(View) []Message { return nil }}))
	must(t, r.say("secret").err)
	equal(t, "request", m.last(), "u:Go on.")
}

// TestAnEmptyTurnKeepsTheResult has somebody say nothing the second time: what it had come to before stays.
func TestAnEmptyTurnKeepsTheResult(t *testing.T) {
	t.Parallel()
	for _, output := range []OutputMode{OutputBoth, OutputNone, OutputHistory} {
		m := newMind(t, says("Yes."), script{Body: finish("stop")}, says(" \n"), says("No."))
		advises := Sub(&LLM{Model: m.model()}, SubOptions{Result: "/opinion", Output: output})
		r := newRig(t, team(Sequential(), Participant{Name: "legal", Agent: advises}))
		for _, want := range []string{"Yes.", "Yes.", "Yes.", "No."} {
			must(t, r.say("And?").err)
			equal(t, "state", string(r.state), `{"opinion":"`+want+`"}`)
		}
	}
}
