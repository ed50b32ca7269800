package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

func TestAskShowsWhatACardNeeds(t *testing.T) {
	t.Parallel()
	type option struct {
		Airline string `json:"airline"`
	}
	q := Question{Key: "flight", Message: "Which?", Options: []option{{"KLM"}, {"United"}}, Recommended: 1, By: "flights",
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
	q.Options, q.Key = []option(nil), "none"
	r = newRig(t, AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Ask(q); return err }))
	must(t, r.say("x").err)
	equal(t, "value", string(r.open[0].Metadata["value"]), `{"message":"Which?","agent":"flights"}`)
	q.Schema = json.RawMessage(`{"type":5}`)
	codeOf(t, newRig(t, AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Ask(q); return err })).say("x"), agui.CodeAgentFailed)
}

func TestRow81TwoQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.AskAll(Question{Key: "size"}, Question{Key: "colour"})
		if err != nil {
			return err
		}
		return Say(t, "say", "%s,%s", a[0].Payload, a[1].Payload)
	})
	r := newRig(t, team(Sequential(), Participant{Name: "a", Agent: agent}))
	s := r.say("x")
	must(t, s.err)
	equal(t, "questions", len(r.open), 2)
	must(t, r.answer(map[string]string{"size": `"S"`, "colour": `"red"`}).err)
	equal(t, "said", texts(r.messages)[1], `"S","red"`)
	twice := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.AskAll(Question{Key: "k"}, Question{Key: "k"})
		return err
	})
	codeOf(t, newRig(t, twice).say("x"), agui.CodeAgentFailed)
}

func TestI5PausesOfSeveralGoroutinesJoin(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		var got [2]string
		for i, key := range []string{"a", "b"} {
			t.Go(func() error {
				a, err := t.Ask(Question{Key: key})
				got[i] = string(a.Payload)
				return err
			})
		}
		t.wg.Wait()
		if got[1] == "" {
			return nil
		}
		return Say(t, "say", "%s%s", got[0], got[1])
	})
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: agent}))
	must(t, r.say("x").err)
	equal(t, "questions", len(r.open), 2)
	must(t, r.answer(map[string]string{"a": "1", "b": "2"}).err)
	equal(t, "history", texts(r.messages), []string{"x", "12"})
}

func TestWrappedAndJoinedPausesArePauses(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err1 := t.Ask(Question{Key: "a"})
		_, err2 := t.Ask(Question{Key: "b"})
		return errors.Join(err1, err2, err1)
	})
	r := newRig(t, agent)
	must(t, r.say("x").err)
	equal(t, "questions", len(r.open), 2)
	must(t, r.answer(map[string]string{"a": "1", "b": "2"}).err)
}

func TestAFailureThatIsJoinedWithAPauseIsAFailure(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		_, pause := t.Ask(Question{Key: "a"})
		return fmt.Errorf("both: %w", errors.Join(pause, errors.New("boom")))
	})
	codeOf(t, newRig(t, agent).say("x"), agui.CodeAgentFailed)
}

func TestTrapT8AWrongChoiceIsAskedAgain(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.Ask(Question{Key: "k", Again: "Please pick one.", Check: func(a Answer) error {
			var s string
			if err := a.Decode(&s); err != nil || s != "right" {
				return errors.New("wrong")
			}
			return nil
		}})
		if err != nil {
			return err
		}
		return Say(t, "say", "%s", a.Payload)
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
	chat := team(ByState(Done, Rule{Missing("/choice"), "p"}), Participant{Name: "p", Agent: asker("k")})
	outer := team(ByState(Done, Rule{Missing("/choice"), "in"}), Participant{Name: "in", Agent: chat})
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
		return Say(t, "say", "%s", result.Text())
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
		return Say(t, "say", "%s%s", a[0].Payload, a[1].Payload)
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
		if err := Say(t, "say", "%d", v["n"]); err != nil {
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
	s := r.run(Session{Memo: r.onces, Takeover: true})
	must(t, s.err)
	equal(t, "computed after a takeover", n, 1)
	equal(t, "said again after a takeover", s.shape(), "p { 1")
	failing := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := Once(t, "f", func() (int, error) { n++; return 0, errors.New("no") })
		return err
	})
	codeOf(t, newRig(t, failing).say("x"), agui.CodeAgentFailed)
	chat := team(Sequential(), Participant{Name: "p", Agent: failing, OnError: ErrorPolicy{Retries: 2, Skip: true}})
	n = 0
	must(t, newRig(t, chat).say("x").err)
	equal(t, "a failure is not recorded", n, 3)
}
