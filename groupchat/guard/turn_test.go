package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// TestQuestionsAreJudged: their messages, and not their options.
func TestQuestionsAreJudged(t *testing.T) {
	t.Parallel()
	asks := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		a, err := t.Ask(groupchat.Question{Key: "who", Message: "Write to ann@example.org?", Options: []string{"ann@example.org", "no"}})
		if err != nil {
			return err
		}
		return groupchat.SayOnce(t, "s", fmt.Sprintf("Answer: %s", a.Payload))
	})
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "a", Agent: asks}}}
	p := play(t, team, "go", Rule{On: []Place{Output}, Detect: []Detector{Email}, Do: Redact})
	if p.err != nil || len(p.result.Questions) != 1 {
		t.Fatal(p.err)
	}
	if q := p.result.Questions[0]; q.Message != "Write to [email]?" {
		t.Errorf("asks %q", q.Message)
	}
	next, err := p.result.Answer(t.Context(), map[string]any{"who": "ann@example.org"})
	if err != nil || next.Text != `Answer: "[email]"` {
		t.Errorf("%v, %v", err, next)
	}
	if p := play(t, team, "go", Rule{On: []Place{Output}, Detect: []Detector{Email}, Say: "No."}); p.code() != errcode.GuardrailRefused {
		t.Errorf("got %v", p.err)
	}
}

// TestASlowModelDoesNotHoldUpTheTurn longer than its timeout, even if it does not listen.
func TestASlowModelDoesNotHoldUpTheTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := make(chan struct{})
		slow := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
			<-deaf
			return model.Reply{}, nil
		})
		defer close(deaf)
		began := time.Now()
		rule := Rule{On: []Place{Output}, Ask: &Judge{Model: slow, Timeout: 3 * time.Second}}
		p := play(t, &groupchat.LLM{Model: says("hi")}, "go", rule)
		if p.code() != errcode.HookFailed || time.Since(began) != 3*time.Second || p.words() != "" {
			t.Errorf("%v after %v, shown %q", p.err, time.Since(began), p.shown)
		}
		rule.Otherwise = OtherwiseAllow
		if p := play(t, &groupchat.LLM{Model: says("hi")}, "go", rule); p.err != nil || p.words() != "hi" {
			t.Errorf("%v, shown %q", p.err, p.shown)
		}
	})
}

// TestAStopDoesNotWaitForAGuard.
func TestAStopDoesNotWaitForAGuard(t *testing.T) {
	t.Parallel()
	h, err := New(Rule{On: []Place{Input}, Check: func(ctx context.Context, _ string) (bool, error) { <-ctx.Done(); return false, ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	stop(stopped)
	_, err = thread.Run(ctx, groupchat.WithHooks(&groupchat.LLM{Model: says("hi")}, h), "x")
	if !errors.Is(err, stopped) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestAVerdictIsRecorded: a turn that is entered again does not ask again.
func TestAVerdictIsRecorded(t *testing.T) {
	t.Parallel()
	judge := says(`{"allow":true,"reason":""}`)
	asks := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		_, err := t.Ask(groupchat.Question{Key: "q", Message: "Sure?"})
		return err
	})
	p := play(t, asks, "go", Rule{On: []Place{Input}, Ask: &Judge{Model: judge, Instructions: "x"}})
	if p.err != nil {
		t.Fatal(p.err)
	}
	if _, err := p.result.Answer(t.Context(), map[string]any{"q": "yes"}); err != nil || len(judge.asked) != 1 {
		t.Errorf("%v, asked %d times", err, len(judge.asked))
	}
}

// TestOtherEventsAreJudged: events of agents' own, activities and reasoning.
func TestOtherEventsAreJudged(t *testing.T) {
	t.Parallel()
	h, err := New(Rule{On: []Place{Output}, Detect: []Detector{Email}, Do: Redact})
	if err != nil {
		t.Fatal(err)
	}
	const mail = `{"mail":"ann@example.org"}`
	agent := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return errors.Join(
			t.Emit(&agui.Custom{Name: "x.y", Value: []byte(mail)}),
			t.Emit(&agui.Raw{Event: []byte(mail)}),
			t.Emit(&agui.ActivitySnapshot{MessageID: "a", ActivityType: "P", Content: []byte(mail)}),
			t.Emit(&agui.ActivityDelta{MessageID: "a", ActivityType: "P", Patch: agui.Patch{{Op: "add", Path: "/to", Value: []byte(`"ann@example.org"`)}}}),
			t.Emit(&agui.ReasoningMessageStart{MessageID: "r", Role: agui.RoleReasoning}),
			t.Emit(&agui.ReasoningMessageContent{MessageID: "r", Delta: "to ann@example.org"}),
			t.Emit(&agui.ReasoningMessageEnd{MessageID: "r"}),
			t.Emit(&agui.TextMessageStart{MessageID: "e", Role: agui.RoleAssistant}),
			t.Emit(&agui.TextMessageEnd{MessageID: "e"}),
		)
	})
	masked, events := 0, 0
	th := thread.New(groupchat.WithHooks(agent, h), thread.Options{Events: func(e agui.Event) error {
		raw, err := agui.Encode(e)
		if strings.Contains(string(raw), "ann@") {
			t.Errorf("sent %s", raw)
		}
		masked += strings.Count(string(raw), "[email]")
		events++
		return err
	}})
	if _, err := th.Say(t.Context(), "go"); err != nil || masked < 5 {
		t.Errorf("%v, %d masks in %d events", err, masked, events)
	}
}

// TestTextsAreEdited piece by piece, and text that is held at the end passes.
func TestTextsAreEdited(t *testing.T) {
	t.Parallel()
	words := Text(func(p Passage) (string, string, error) { // whole words, in capitals
		at := strings.LastIndexByte(p.Text, ' ') + 1
		return strings.ToUpper(p.Text[:at]), p.Text[at:], nil
	})
	th := thread.New(groupchat.WithHooks(&groupchat.LLM{Model: says("one two three")}, words), thread.Options{})
	if r, err := th.Say(t.Context(), "go"); err != nil || r.Text != "ONE TWO three" {
		t.Errorf("%v, %v", err, r)
	}
	hoards := Text(func(p Passage) (string, string, error) { return "", p.Text + strings.Repeat("x", MaxHeld), nil })
	th = thread.New(groupchat.WithHooks(&groupchat.LLM{Model: says("one two three")}, hoards), thread.Options{})
	if _, err := th.Say(t.Context(), "go"); errcode.Of(err) != errcode.HookFailed {
		t.Errorf("holding back without end: %v", err)
	}
	drops := Text(func(Passage) (string, string, error) { return "", "", nil })
	th = thread.New(groupchat.WithHooks(&groupchat.LLM{Model: says("one")}, drops), thread.Options{})
	if r, err := th.Say(t.Context(), "go"); err != nil || len(r.Messages) != 0 {
		t.Errorf("%v, %v: an empty message is left", err, r)
	}
}
