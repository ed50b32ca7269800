package groupchat

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
)

func TestRow81TwoQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.AskAll(Question{Key: "size"}, Question{Key: "colour"})
		if err != nil {
			return err
		}
		return SayOnce(t, "say", fmt.Sprintf("%s,%s", a[0].Payload, a[1].Payload))
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
	codeOf(t, newRig(t, twice).say("x"), errcode.AgentFailed)
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
		return SayOnce(t, "say", fmt.Sprintf("%s%s", got[0], got[1]))
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
	codeOf(t, newRig(t, agent).say("x"), errcode.AgentFailed)
}
