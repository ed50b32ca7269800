package groupchat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/state"
)

// An order is what the tools of these tests are called with.
type order struct {
	Order string `json:"order"`
}

// A till pays refunds and remembers which.
type till struct{ counted }

// refund is a tool that asks a person before it pays.
func (c *till) refund() Tool {
	return NewTurnTool("refund", "Refunds an order", func(_ context.Context, t *Turn, _ ToolCall, in order) (string, error) {
		answer, err := t.Ask(Question{Key: "confirm", Message: "Refund " + in.Order + "?"})
		if err != nil {
			return "", err
		}
		if string(answer.Payload) != "true" {
			return "kept " + in.Order, nil
		}
		paid, err := Once(t, "charge", func() (string, error) {
			c.note(ToolCall{Name: "refund ", Arguments: []byte(in.Order), Key: t.ID()})
			return "refunded " + in.Order, nil
		})
		if err != nil {
			return "", err
		}
		return paid, SayOnce(t, "told", fmt.Sprintf("Paid %s.", in.Order))
	})
}

// asks is what the open questions ask.
func (r *rig) asks() []string {
	var asked []string
	for _, i := range r.open {
		asked = append(asked, i.Message)
	}
	return asked
}

func TestOneConfirmationDoesNotCoverTheNextCall(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("refund", `{"order":"A"}`), calls("refund", `{"order":"B"}`), calls("refund", `{"order":"C"}`), says("Done."))
	var c till
	r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: m.model(), Tools: []Tool{c.refund()}}}))
	must(t, r.say("Refund A, B and C.").err)
	equal(t, "asked first", r.asks(), []string{"Refund A?"})
	must(t, r.answer(map[string]string{"Refund A?": "true"}).err)
	equal(t, "asked next", r.asks(), []string{"Refund B?"})
	equal(t, "paid", c.called(), []string{"refund A"})
	must(t, r.answer(map[string]string{"Refund B?": "false"}).err)
	equal(t, "paid", c.called(), []string{"refund A"})
	must(t, r.answer(map[string]string{"Refund C?": "true"}).err)
	equal(t, "paid", c.called(), []string{"refund A", "refund C"})
	equal(t, "names of the effects", c.keys[0] != c.keys[1], true)
	equal(t, "said", spoken(r.messages), []string{"Paid A.", "Paid C.", "Done."})
	if !strings.Contains(m.last(), `| t:refunded A | a:Paid A. | a: refund{"order":"B"} | t:kept B | a: refund{"order":"C"} | t:refunded C |`) {
		t.Errorf("request = %s", m.last())
	}
}

// spoken is what agents said.
func spoken(messages []Message) []string {
	var said []string
	for _, m := range messages {
		if m.Role == agui.RoleAssistant && !m.Content.IsZero() {
			said = append(said, m.Content.Text())
		}
	}
	return said
}

func TestCallsOfOneReplyAreConfirmedOneByOne(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("refund", `{"order":"A"}`, "refund", `{"order":"B"}`), says("Done."))
	var c till
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.refund()}})
	must(t, r.say("Refund A and B.").err)
	equal(t, "asked", r.asks(), []string{"Refund A?", "Refund B?"})
	must(t, r.answer(map[string]string{"Refund A?": "false", "Refund B?": "true"}).err)
	equal(t, "paid", c.called(), []string{"refund B"})
	if !strings.Contains(m.last(), `| t:kept A | t:refunded B |`) {
		t.Errorf("request = %s", m.last())
	}
}

// TestConfirmationsOutliveATakeover lets another owner continue at each point: before a question was answered, and with
// the answer before anything of it was committed. The confirmed sum is paid once and nothing else is.
func TestConfirmationsOutliveATakeover(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("refund", `{"order":"A"}`, "refund", `{"order":"B"}`), calls("refund", `{"order":"C"}`), says("Done."))
	var c till
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.refund()}})
	must(t, r.say("Refund A, B and C.").err)
	must(t, r.run(Session{Checkpoint: r.checkpoint, Takeover: true}).err)
	equal(t, "asked", r.asks(), []string{"Refund A?", "Refund B?"})

	answers := map[string]string{"Refund A?": "true", "Refund B?": "false"}
	before, checkpoint, open := r.messages, r.checkpoint, r.open
	must(t, r.answer(answers).err)
	equal(t, "asked", r.asks(), []string{"Refund C?"})
	equal(t, "paid", c.called(), []string{"refund A"})

	r.messages, r.open = before, open // the owner died before its first commit
	must(t, r.run(Session{Checkpoint: checkpoint, Answers: r.answers(answers), Memo: maps.Clone(r.onces), Takeover: true}).err)
	equal(t, "asked", r.asks(), []string{"Refund C?"})
	equal(t, "paid", c.called(), []string{"refund A"})
	must(t, r.answer(map[string]string{"Refund C?": "true"}).err)
	equal(t, "paid", c.called(), []string{"refund A", "refund C"})
	equal(t, "the model was asked", len(m.asked), 3)
}

// TestCallsDoNotShareWhatTheyInvoke lets each call of a tool have agents work, frontend tools run and a team talk,
// under the same names.
func TestCallsDoNotShareWhatTheyInvoke(t *testing.T) {
	t.Parallel()
	pair := team(Sequential(), Participant{Name: "one", Agent: sayer("One.")}, Participant{Name: "two", Agent: asker("sure")})
	tool := NewTurnTool("plan", "", func(ctx context.Context, t *Turn, _ ToolCall, in order) (string, error) {
		reply, err := t.Invoke("clerk", sayer("Clerk of "+in.Order+"."), InvokeOptions{})
		if err != nil {
			return "", err
		}
		shown, err := t.CallTool("map", "show_map", map[string]string{"of": in.Order})
		if err != nil {
			return "", err
		}
		return reply.Text() + shown.Text(), pair.Run(ctx, t)
	})
	for name, scripts := range map[string][]script{
		"in one reply":      {calls("plan", `{"order":"A"}`, "plan", `{"order":"B"}`), says("Done.")},
		"one after another": {calls("plan", `{"order":"A"}`), calls("plan", `{"order":"B"}`), says("Done.")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, scripts...)
			r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: &LLM{Model: m.model(), Tools: []Tool{tool}}}))
			s := r.say("go")
			must(t, s.err)
			for range 4 {
				answers := map[string]agui.Content{}
				for _, c := range r.calls {
					i := slices.IndexFunc(r.messages, func(m Message) bool { return len(m.ToolCalls) > 0 && m.ToolCalls[0].ID == c.ID })
					text := agui.TextContent("map" + r.messages[i].ToolCalls[0].Function.Arguments)
					answers[c.ID] = text
					r.messages = append(r.messages, Message{ID: "m" + c.ID, Role: agui.RoleTool, ToolCallID: c.ID, Content: text})
				}
				s := Session{Checkpoint: r.checkpoint, Results: answers, Answers: map[string]state.Answer{}}
				for _, i := range r.open {
					s.Answers[i.ID] = state.Answer{ID: i.ID, Status: agui.ResumeResolved, Payload: []byte(`"yes"`)}
				}
				if r.checkpoint != nil {
					must(t, r.run(s).err)
				}
			}
			if r.checkpoint != nil {
				t.Fatal("it waits still")
			}
			for _, result := range []string{`t:Clerk of A.map{"of":"A"}`, `t:Clerk of B.map{"of":"B"}`} {
				if !strings.Contains(m.last(), result) {
					t.Errorf("request = %s, want %s in it", m.last(), result)
				}
			}
			equal(t, "said", sorted(spoken(r.messages)), `"yes" "yes" Clerk of A. Clerk of B. Done. One. One.`)
		})
	}
}

// TestSpecialistsAreConfirmedOneByOne asks for each call of an agent that is a tool, and for each part of a fan.
func TestSpecialistsAreConfirmedOneByOne(t *testing.T) {
	t.Parallel()
	clerk := AgentFunc(func(_ context.Context, t *Turn) error {
		last, _ := t.LastUser()
		what := last.Content.Text()
		if _, err := t.Ask(Question{Key: "confirm", Message: "Refund " + what + "?"}); err != nil {
			return err
		}
		return SayOnce(t, "told", fmt.Sprintf("Paid %s.", what))
	})
	for name, agent := range map[string]Agent{
		"a tool": clerk,
		"a fan":  &Concurrent{Participants: []Participant{{Name: "one", Agent: clerk}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, calls(append(query("clerk", "A"), query("clerk", "B")...)...), calls(query("clerk", "C")...), says("Done."))
			r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{free(agent, AsToolOptions{Name: "clerk"})}})
			must(t, r.say("Refund A, B and C.").err)
			equal(t, "asked", r.asks(), []string{"Refund A?", "Refund B?"})
			must(t, r.answer(map[string]string{"Refund A?": "true", "Refund B?": "true"}).err)
			equal(t, "asked", r.asks(), []string{"Refund C?"})
			must(t, r.answer(map[string]string{"Refund C?": "true"}).err)
			equal(t, "said", spoken(r.messages), []string{"Done."})
		})
	}
}

// TestAKeyStandsForOneThing fails the turn in which a key comes back for something else: whichever of the two is meant,
// the answer to the other would be taken for it.
func TestAKeyStandsForOneThing(t *testing.T) {
	t.Parallel()
	m := newMind(t, calls("f", `{}`), says("Done."))
	c := &counted{}
	llm := func() Agent {
		return &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Approve: tools.Approvals{All: true}}
	}
	first, second := llm(), llm()
	one, other := team(Sequential(), Participant{Name: "a", Agent: asker("k")}), team(Sequential(), Participant{Name: "a", Agent: asker("k")})
	for name, agent := range map[string]AgentFunc{
		"a question": func(_ context.Context, t *Turn) error {
			for _, order := range []string{"A", "B"} {
				if _, err := t.Ask(Question{Key: "confirm", Message: "Refund " + order + "?"}); err != nil {
					return err
				}
			}
			return nil
		},
		"a question about a call": func(_ context.Context, t *Turn) error {
			for _, call := range []string{"A", "B"} {
				if _, err := t.Ask(Question{Key: "confirm", Message: "May I?", ToolCallID: call}); err != nil {
					return err
				}
			}
			return nil
		},
		"a sentence": func(_ context.Context, t *Turn) error {
			return errors.Join(SayOnce(t, "told", "Paid A."), SayOnce(t, "told", "Paid B."))
		},
		"a call": func(_ context.Context, t *Turn) error {
			_, err1 := t.CallTool("map", "show_map", order{"A"})
			_, err2 := t.CallTool("map", "show_map", order{"B"})
			return errors.Join(err1, err2)
		},
		"a model's agent": func(ctx context.Context, t *Turn) error {
			return errors.Join(first.Run(ctx, t), second.Run(ctx, t))
		},
		"a team": func(ctx context.Context, t *Turn) error {
			return errors.Join(one.Run(ctx, t), other.Run(ctx, t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, agent)
			s := r.say("go")
			for range 3 {
				if s.err == nil && r.checkpoint != nil {
					s = r.run(r.yes())
				}
			}
			codeOf(t, s, errcode.AgentFailed)
			equal(t, "calls of the tool", len(c.called()), 0)
		})
	}
}

// yes resumes with approval of everything.
func (r *rig) yes() Session {
	s := Session{Checkpoint: r.checkpoint, Answers: map[string]state.Answer{}, Results: map[string]agui.Content{}}
	for _, i := range r.open {
		s.Answers[i.ID] = state.Answer{ID: i.ID, Status: agui.ResumeResolved, Payload: fitted(i, `{"approved":true}`)}
	}
	for _, c := range r.calls {
		s.Results[c.ID] = agui.TextContent("shown")
	}
	return s
}

// TestAnAnswerIsToWhatWasAsked asks again when a turn that is entered with an answer asks something else under its key.
func TestAnAnswerIsToWhatWasAsked(t *testing.T) {
	t.Parallel()
	price := 120
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		answer, err := t.Ask(Question{Key: "confirm", Message: fmt.Sprintf("Book for $%d?", price)})
		if err != nil {
			return err
		}
		return SayOnce(t, "booked", fmt.Sprintf("%s at $%d", answer.Payload, price))
	})
	r := newRig(t, agent)
	must(t, r.say("go").err)
	price = 150
	must(t, r.answer(map[string]string{"confirm": "1"}).err)
	equal(t, "asked", r.asks(), []string{"Book for $150?"})
	must(t, r.answer(map[string]string{"confirm#2": "2"}).err)
	equal(t, "said", spoken(r.messages), []string{"2 at $150"})
}

// A kit is a source of tools.
type kit []Tool

func (k kit) Tools(context.Context) ([]Tool, error) { return k, nil }

func TestApprovalsAreForOneCall(t *testing.T) {
	t.Parallel()
	for name, scripts := range map[string][]script{
		"in one reply":      {calls("f", `{"x":1}`, "f", `{"x":2}`), says("Done.")},
		"one after another": {calls("f", `{"x":1}`), calls("f", `{"x":2}`), says("Done.")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &counted{}
			r := newRig(t, &LLM{Model: newMind(t, scripts...).model(), Sources: []ToolSource{kit{c.tool("f")}}, Approve: tools.Approvals{Tools: []string{"f"}}})
			must(t, r.say("go").err)
			for r.checkpoint != nil {
				answers := map[string]string{}
				for _, i := range r.open {
					answers[where(i).Key] = fmt.Sprintf(`{"approved":%t}`, where(i).Key == "approve/llm/0/0")
				}
				must(t, r.answer(answers).err)
			}
			equal(t, "called", c.called(), []string{`f{"x":1}`})
		})
	}
}
