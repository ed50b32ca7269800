package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

func TestAskShowsWhatACardNeeds(t *testing.T) {
	t.Parallel()
	type option struct {
		Airline string `json:"airline"`
	}
	q := Question{Key: "flight", Message: "Which?", Options: []option{{"KLM"}, {"United"}}, Recommended: option{"United"}, By: "flights",
		Schema: json.RawMessage(`{"type":"object"}`), TTL: time.Minute}
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Ask(q); return err }))
	must(t, r.say("x").err)
	i := r.open[0]
	equal(t, "value", string(i.Metadata["value"]),
		`{"message":"Which?","options":[{"airline":"KLM"},{"airline":"United"}],"recommendation":{"airline":"United"},"agent":"flights"}`)
	equal(t, "reason", i.Reason, "input_required")
	equal(t, "ttl", i.TTL, time.Minute)
	if !strings.HasPrefix(i.ID, "int_") {
		t.Errorf("id = %q", i.ID)
	}
	// No optional null on the wire (S2), whatever kind of nil the options are.
	q.Options, q.Recommended, q.Key = []option(nil), nil, "none"
	r = newRig(t, AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Ask(q); return err }))
	must(t, r.say("x").err)
	equal(t, "value", string(r.open[0].Metadata["value"]), `{"message":"Which?","agent":"flights"}`)
	q.Schema = json.RawMessage(`{"type":5}`)
	codeOf(t, newRig(t, AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Ask(q); return err })).say("x"), errcode.AgentFailed)
}

func TestOptionsAreTheAnswers(t *testing.T) {
	t.Parallel()
	type size struct {
		Name string `json:"name"`
	}
	for options, answers := range map[string][3]string{ // a wrong answer, a right one, their schema
		`["S","L"]`:               {`"XXXL"`, `"L"`, `{"enum":["S","L"]}`},
		`[1,2]`:                   {`3`, `1`, `{"enum":[1,2]}`},
		`[{"name":"S"}]`:          {`"S"`, `{"name":"S"}`, `{"enum":[{"name":"S"}]}`},
		`[{"label":1,"value":2}]`: {`2`, `{"value":2,"label":1}`, `{"enum":[{"label":1,"value":2}]}`},
	} {
		r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
			a, err := t.Ask(Question{Key: "k", Message: "Which?", Options: json.RawMessage(options)})
			if err != nil {
				return err
			}
			return SayOnce(t, "said", string(a.Payload))
		}))
		must(t, r.say("x").err)
		equal(t, "schema", string(r.open[0].ResponseSchema), answers[2])
		must(t, r.answer(map[string]string{"k": answers[0]}).err)
		if len(r.open) != 1 {
			t.Errorf("options %s: %s is an answer", options, answers[0])
			continue
		}
		must(t, r.answer(map[string]string{"k#2": answers[1]}).err)
		equal(t, "said", len(spoken(r.messages)), 1)
	}
	for name, options := range map[string]any{"nothing to choose from": []size{}, "no list": map[string]size{"S": {"S"}}, "no JSON": []any{func() {}}} {
		r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
			_, err := t.Ask(Question{Key: "k", Options: options})
			return err
		}))
		if s := r.say("x"); errcode.Of(s.err) != errcode.AgentFailed {
			t.Errorf("%s: ended with %v", name, s.err)
		}
	}
	// Its schema counts more: the turn judges the rest.
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.Ask(Question{Key: "k", Options: []size{{"S"}}, Schema: json.RawMessage(`{"type":"string"}`)})
		return err
	}))
	must(t, r.say("x").err)
	must(t, r.answer(map[string]string{"k": `"whatever"`}).err)
	equal(t, "asked", len(r.open), 0)
}

func TestNothingIsRecommendedUnlessSomethingIs(t *testing.T) {
	t.Parallel()
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.Ask(Question{Key: "k", Message: "Which?", Options: []string{"S", "L"}})
		return err
	}))
	must(t, r.say("x").err)
	equal(t, "card", string(r.open[0].Metadata["value"]), `{"message":"Which?","options":["S","L"]}`)
}

// TestACancelledAnswerEndsATurnThatWantsOne is about code that decodes an answer and hands the error on: a person who
// cancels a question has not made the run fail.
func TestACancelledAnswerEndsATurnThatWantsOne(t *testing.T) {
	t.Parallel()
	wants := AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.Ask(Question{Key: "k", Message: "Which?"})
		if err != nil {
			return err
		}
		var size string
		if err := a.Decode(&size); err != nil {
			return fmt.Errorf("size: %w", err)
		}
		return t.State().Set("/size", size)
	})
	tool := NewTurnTool("ask", "", func(ctx context.Context, t *Turn, _ ToolCall, _ struct{}) (string, error) { return "", wants(ctx, t) })
	tool.OnError = tools.Fails
	m := newMind(t, calls("ask", `{}`), says("Never mind."))
	for name, root := range map[string]Agent{
		"root": wants, "team": team(Rules("b", Rule{missing("/size"), "a"}), Participant{Name: "a", Agent: wants}, Participant{Name: "b", Agent: sayer("b")}),
		"goroutine": AgentFunc(func(ctx context.Context, t *Turn) error { t.Go(func() error { return wants(ctx, t) }); return nil }),
		"tool":      &LLM{Model: m.model(), Tools: []Tool{tool}},
	} {
		r := newRig(t, root)
		if name == "team" {
			r.root.(*Chat).MaxRounds = 2
		}
		must(t, r.say("x").err)
		s := r.answer(map[string]string{"k": "cancel"})
		if s.err != nil || len(r.open) > 0 || len(r.state) > 2 {
			t.Errorf("%s: ended with %v, asks %q, state %s", name, s.err, r.asks(), r.state)
		}
		if name == "team" {
			equal(t, "stream", s.shape(), "a { } a b { b } b")
		}
	}
	if !strings.HasSuffix(m.last(), "| t:The user cancelled the question.") {
		t.Errorf("request = %s", m.last())
	}
	// Another failure beside it is one.
	both := AgentFunc(func(ctx context.Context, t *Turn) error {
		err := wants(ctx, t)
		if ask.PauseOf(err) == nil {
			err = errors.Join(err, errors.New("boom"))
		}
		return err
	})
	r := newRig(t, both)
	must(t, r.say("x").err)
	codeOf(t, r.answer(map[string]string{"k": "cancel"}), errcode.AgentFailed)
}

// TestAPauseThatIsNotReturnedFailsTheTurn is about code that drops its pause.
func TestAPauseThatIsNotReturnedFailsTheTurn(t *testing.T) {
	t.Parallel()
	forgets := func(wait func(context.Context, *Turn) error) AgentFunc {
		return func(ctx context.Context, t *Turn) error {
			_ = wait(ctx, t)
			return SayOnce(t, "booked", "Booked.")
		}
	}
	waits := map[string]func(context.Context, *Turn) error{
		"Ask":      func(_ context.Context, t *Turn) error { _, err := t.Ask(Question{Key: "k"}); return err },
		"AskAll":   func(_ context.Context, t *Turn) error { _, err := t.AskAll(Question{Key: "k"}); return err },
		"CallTool": func(_ context.Context, t *Turn) error { _, err := t.CallTool("k", "map", nil); return err },
		"Invoke": func(_ context.Context, t *Turn) error {
			_, err := t.Invoke("a", asker("k"), InvokeOptions{})
			return err
		},
		"Chat.Run":  team(Sequential(), Participant{Name: "a", Agent: asker("k")}).Run,
		"Sub.Run":   Sub(asker("k"), SubOptions{}).Run,
		"LLM.Run":   (&LLM{Model: newMind(t, calls("f", `{}`)).model(), Tools: []Tool{(&counted{}).tool("f")}, Approve: tools.Approvals{All: true}}).Run,
		"a wrapper": forgets(func(_ context.Context, t *Turn) error { _, err := t.Ask(Question{Key: "k"}); return err }).Run,
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRig(t, forgets(wait)).say("x")
			codeOf(t, s, errcode.AgentFailed)
			if !strings.Contains(s.err.Error(), "was not returned") {
				t.Errorf("ended with %v", s.err)
			}
			// One of two is not both.
			half := AgentFunc(func(ctx context.Context, t *Turn) error {
				_ = wait(ctx, t)
				_, err := t.Ask(Question{Key: "other"})
				return err
			})
			codeOf(t, newRig(t, half).say("x"), errcode.AgentFailed)
			codeOf(t, newRig(t, team(Sequential(), Participant{Name: "p", Agent: forgets(wait)})).say("x"), errcode.AgentFailed)
		})
	}
	tool := NewTurnTool("book", "", func(_ context.Context, t *Turn, _ ToolCall, _ struct{}) (string, error) {
		_, _ = t.Ask(Question{Key: "sure"})
		return "booked", nil
	})
	codeOf(t, newRig(t, &LLM{Model: newMind(t, calls("book", `{}`), says("Done.")).model(), Tools: []Tool{tool}}).say("x"), errcode.AgentFailed)
	// Code that handles the failure of one keeps the question of another, which was not asked.
	fails := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.InvokeAll(Invocation{Name: "a", Agent: asker("k")}, Invocation{Name: "b", Agent: failing(errors.New("boom"))})
		if err == nil {
			return errors.New("it did not fail")
		}
		return SayOnce(t, "sorry", "Sorry.")
	})
	must(t, newRig(t, fails).say("x").err)
}

func TestTrapT8AWrongChoiceIsAskedAgain(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.Ask(Question{Key: "k", Again: "Please pick one.", Check: func(a ask.Answer) error {
			var s string
			if err := a.Decode(&s); err != nil || s != "right" {
				return errors.New("wrong")
			}
			return nil
		}})
		if err != nil {
			return err
		}
		return SayOnce(t, "say", string(a.Payload))
	})
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent}))
	must(t, r.say("x").err)
	first := r.open[0].ID
	must(t, r.answer(map[string]string{"k": `"wrong"`}).err)
	if len(r.open) != 1 || r.open[0].ID == first {
		t.Fatalf("open = %v, want a new question", r.open)
	}
	must(t, r.answer(map[string]string{"k#2": `7`}).err)
	must(t, r.answer(map[string]string{"k#3": `"right"`}).err)
	equal(t, "history", texts(r.messages), []string{"x", "Please pick one.", "Please pick one.", `"right"`})
}

func TestI7ATimedOutQuestionIsAskedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, asker("k"))
	must(t, r.say("x").err)
	must(t, r.answer(map[string]string{"k": "late"}).err)
	equal(t, "asked again", where(r.open[0]).Key, "k#2")
	must(t, r.answer(map[string]string{"k#2": "1"}).err)
	equal(t, "history", texts(r.messages), []string{"x", "1"})
}

func TestRow139ACancelledQuestionIsNoAnswerAndNoLoop(t *testing.T) {
	t.Parallel()
	chat := team(Rules(Done, Rule{missing("/choice"), "p"}), Participant{Name: "p", Agent: asker("k")})
	outer := team(Rules(Done, Rule{missing("/choice"), "in"}), Participant{Name: "in", Agent: chat})
	for _, root := range []Agent{chat, outer} {
		r := newRig(t, root)
		must(t, r.say("x").err)
		must(t, r.answer(map[string]string{"k": "cancel"}).err)
		equal(t, "open", len(r.open), 0)
		equal(t, "history", texts(r.messages), []string{"x", "nothing"})
		must(t, r.say("again").err)
		equal(t, "the next message may ask again", len(r.open), 1)
	}
}

func TestI6FrontendCallsSuspendTheTurn(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		result, err := t.CallTool("map", "show_map", nil)
		if err != nil {
			return err
		}
		return SayOnce(t, "say", result.Text())
	})
	chat := team(Sequential(), Participant{Name: "p", Agent: agent})
	for result, want := range map[string]string{"shown": "shown", "": state.NotAnswered} {
		r := newRig(t, chat)
		s := r.say("x")
		must(t, s.err)
		equal(t, "stream", s.shape(), "p { call show_map")
		equal(t, "calls", len(r.calls), 1)
		end := s.events[len(s.events)-1].(*agui.RunFinished)
		equal(t, "pending", end.Outcome.PendingToolCallIDs, []string{r.calls[0].ID})
		results := map[string]string{}
		if result != "" {
			results["show_map"] = result
		}
		s = r.returns(results)
		must(t, s.err)
		equal(t, "said", r.messages[len(r.messages)-1].Content.Text(), want)
		equal(t, "steps", s.steps(), []string{"p"})
	}
}

func TestI2EveryAnswerIsInTheFirstCommit(t *testing.T) {
	t.Parallel()
	// The second asker comes after the first commit has used all answers up.
	slow := AgentFunc(func(ctx context.Context, t *Turn) error {
		a, err := t.AskAll(Question{Key: "one"}, Question{Key: "two"})
		if err != nil {
			return err
		}
		inner := team(Sequential(), Participant{Name: "in", Agent: sayer("in")})
		if err := inner.Run(ctx, t); err != nil {
			return err
		}
		return SayOnce(t, "say", fmt.Sprintf("%s%s", a[0].Payload, a[1].Payload))
	})
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: slow}))
	must(t, r.say("x").err)
	messages := r.messages
	must(t, r.answer(map[string]string{"one": "1", "two": "2"}).err)
	r.messages, r.state = append(messages, r.commits[0].messages[len(messages):]...), r.commits[0].state
	s := r.run(Session{Checkpoint: r.commits[0].checkpoint, Takeover: true})
	must(t, s.err)
	equal(t, "after a takeover", s.shape(), "p { 12 } p")
}

func TestI4OnceIsNotComputedAgain(t *testing.T) {
	t.Parallel()
	n := 0
	agent := AgentFunc(func(ctx context.Context, t *Turn) error {
		v, err := Once(t, "work", func() (map[string]int, error) { n++; return map[string]int{"n": n}, nil })
		if err != nil {
			return err
		}
		if err := SayOnce(t, "say", fmt.Sprintf("%d", v["n"])); err != nil {
			return err
		}
		return asker("k").Run(ctx, t)
	})
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent}))
	must(t, r.say("x").err)
	must(t, r.answer(map[string]string{"k": "0"}).err)
	equal(t, "computed", n, 1)
	equal(t, "keys", len(r.onces), 1)
	// The owner died before anything was committed: its memo is all there is.
	r.messages = r.messages[:1]
	s := r.run(Session{Memo: maps.Clone(r.onces), Takeover: true})
	must(t, s.err)
	equal(t, "computed after a takeover", n, 1)
	equal(t, "said again after a takeover", s.shape(), "p { 1")
	failing := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := Once(t, "f", func() (int, error) { n++; return 0, errors.New("no") })
		return err
	})
	codeOf(t, newRig(t, failing).say("x"), errcode.AgentFailed)
	chat := team(Sequential(), Participant{Name: "p", Agent: failing, OnError: failure.Policy{Retries: 2, Skip: true}})
	n = 0
	must(t, newRig(t, chat).say("x").err)
	equal(t, "a failure is not recorded", n, 3)
}
