package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// bracket is a filter that holds each message back until its end, and puts brackets around its text: one pair for each
// time that it passes.
func bracket(mark string) Hooks {
	return Hooks{Name: mark, Stream: func(*Turn) run.Filter {
		held := map[string]string{}
		return func(e agui.Event, next run.Emit) error {
			switch e := e.(type) {
			case *agui.TextMessageContent:
				held[e.MessageID] += e.Delta
				return nil
			case *agui.TextMessageEnd:
				if words := held[e.MessageID]; words != "" {
					content := &agui.TextMessageContent{MessageID: e.MessageID, Delta: mark + words + mark}
					content.SubagentRunID = e.SubagentRunID
					if err := next(content); err != nil {
						return err
					}
				}
				delete(held, e.MessageID)
			case *agui.ToolCallArgs:
				e.Delta = strings.ReplaceAll(e.Delta, "place", mark+"place"+mark)
			}
			return next(e)
		}
	}}
}

// talks is an agent that speaks through a model, in two pieces.
func talks(words ...string) *LLM {
	return &LLM{Model: model.Func(func(_ context.Context, _ model.Request, on model.Deltas) (model.Reply, error) {
		for _, w := range words {
			if err := on.Text(w); err != nil {
				return model.Reply{}, err
			}
		}
		return model.Reply{Text: strings.Join(words, "")}, nil
	})}
}

func invokes(agent Agent, o OutputMode) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error {
		r, err := t.Invoke("inner", agent, InvokeOptions{Output: o})
		if err == nil && o == OutputNone {
			return SayOnce(t, "told", "told: "+r.Text())
		}
		return err
	})
}

// TestWhatPeopleSeePassesEachFilterOnce, whoever says it and in whichever conversation.
func TestWhatPeopleSeePassesEachFilterOnce(t *testing.T) {
	t.Parallel()
	in := func(a Agent) Agent { return WithHooks(a, bracket("*")) }
	for name, tt := range map[string]struct {
		agent Agent
		shown []string
	}{
		"a model's words":                   {in(talks("a ", "b")), []string{"|*a b*|"}},
		"what is said":                      {in(sayer("a b")), []string{"|*a b*|"}},
		"a participant":                     {in(team(Sequential(), Participant{Name: "p", Agent: talks("a ", "b")})), []string{"|*a b*|"}},
		"a participant's own hooks":         {team(Sequential(), Participant{Name: "p", Agent: in(talks("a ", "b"))}), []string{"|*a b*|"}},
		"both":                              {in(team(Sequential(), Participant{Name: "p", Agent: WithHooks(talks("a"), bracket("+"))})), []string{"|*+a+*|"}},
		"twice on one agent":                {WithHooks(WithHooks(talks("a"), bracket("+")), bracket("*")), []string{"|*+a+*|"}},
		"a supervisor":                      {in(team(func() Manager { return narrated{} }, Participant{Name: "p", Agent: sayer("a")})), []string{"|*well*|", "|*a*|"}},
		"an invoked agent":                  {in(invokes(talks("a"), OutputBoth)), []string{"|*a*|"}},
		"an invoked agent's own":            {invokes(in(talks("a")), OutputBoth), []string{"|*a*|"}},
		"its last words":                    {in(invokes(talks("a"), OutputHistory)), []string{"|*a*|"}},
		"its last words, its own":           {invokes(in(talks("a")), OutputHistory), []string{"|*a*|"}},
		"direct":                            {invokes(in(talks("a")), OutputDirect), []string{"|*a*|"}},
		"told by another":                   {in(invokes(talks("a"), OutputNone)), []string{"|*told: a*|"}},
		"under Sub":                         {in(Sub(talks("a"), SubOptions{Output: OutputHistory})), []string{"|*a*|"}},
		"inside of Sub":                     {Sub(in(talks("a")), SubOptions{Output: OutputHistory}), []string{"|*a*|"}},
		"inside of Sub that shares":         {Sub(in(talks("a")), SubOptions{}), []string{"|*a*|"}},
		"out of sight twice":                {invokes(Sub(in(talks("a")), SubOptions{Output: OutputHistory}), OutputHistory), []string{"|*a*|"}},
		"what was out of sight":             {in(invokes(invokes(talks("a"), OutputHistory), OutputHistory)), []string{"|*a*|"}},
		"at once, when all have ended":      {in(&Concurrent{Output: OutputHistory, Participants: []Participant{{Name: "p", Agent: talks("a")}}}), []string{"|*a*|"}},
		"at once, their own, when all have": {&Concurrent{Output: OutputHistory, Participants: []Participant{{Name: "p", Agent: in(talks("a"))}}}, []string{"|*a*|"}},
		"not closed":                        {in(AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Text().WriteString("a"); return err })), []string{"|*a*|"}},
		"chunks": {in(AgentFunc(func(_ context.Context, t *Turn) error {
			return errors.Join(t.Emit(&agui.TextMessageChunk{MessageID: "c", Delta: new("a ")}), t.Emit(&agui.TextMessageChunk{Delta: new("b")}))
		})), []string{"|*a b*|"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.agent)
			r.hooks = []Hooks{bracket("|")}
			must(t, r.say("go").err)
			equal(t, "shown", texts(r.messages)[1:], tt.shown)
		})
	}
}

// narrated is a manager that says something before each choice.
type narrated struct{}

func (narrated) Next(_ context.Context, v View) (Decision, error) {
	if v.Round > 0 {
		return Decision{Done: true}, nil
	}
	return Decision{Speaker: "p", Say: "well"}, nil
}

// TestRemoteWordsPassFilters: what an agent on another server says, and one behind it.
func TestRemoteWordsPassFilters(t *testing.T) {
	t.Parallel()
	sub := `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"inner"}
		{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s"}
		{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"behind","subagentRunId":"s"}
		{"type":"TEXT_MESSAGE_END","messageId":"m","subagentRunId":"s"}
		{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}` + "\n"
	u := newUpstream(t, begins+sub+wordsOf("m2", "far")+ends)
	r := newRig(t, team(Sequential(), Participant{Name: "far", Agent: WithHooks(remote(t, RemoteOptions{URL: u.URL}), bracket("*"))}))
	must(t, r.say("go").err)
	equal(t, "shown", texts(r.messages)[1:], []string{"*behind*", "*far*"})
}

// TestCallsOutOfSightPassFilters: the client is shown the calls of an agent that works out of sight.
func TestCallsOutOfSightPassFilters(t *testing.T) {
	t.Parallel()
	calls := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.CallTool("map", "show_map", map[string]string{"at": "place"})
		return err
	})
	r := newRig(t, WithHooks(invokes(WithHooks(calls, bracket("*")), OutputHistory), bracket("|")))
	r.input.Tools = []agui.Tool{{Name: "show_map"}}
	out := r.say("go")
	must(t, out.err)
	if !strings.Contains(fmt.Sprint(r.messages), `{"at":"*|place|*"}`) {
		t.Errorf("%v", r.messages)
	}
	must(t, r.returns(map[string]string{"show_map": "ok"}).err)
}

// TestAFilterThatRefusesFailsItsTurn: the held text is not shown, the passed text is not complete, and a policy may
// skip the turn.
func TestAFilterThatRefusesFailsItsTurn(t *testing.T) {
	t.Parallel()
	refuses := Hooks{Stream: func(*Turn) run.Filter {
		return func(e agui.Event, next run.Emit) error {
			if _, ends := e.(*agui.TextMessageEnd); ends {
				return &errcode.Error{Code: errcode.GuardrailRefused, Text: "Not this."}
			}
			return next(e)
		}
	}}
	for name, agent := range map[string]Agent{
		"while it speaks":  sayer("secret"),
		"when it has said": AgentFunc(func(_ context.Context, t *Turn) error { _, err := t.Text().WriteString("secret"); return err }),
		"when it waits": AgentFunc(func(_ context.Context, t *Turn) error {
			if _, err := t.Text().WriteString("secret"); err != nil {
				return err
			}
			_, err := t.Ask(Question{Key: "q", Message: "?"})
			return err
		}),
		"and ignores errors": AgentFunc(func(_ context.Context, t *Turn) error {
			_ = SayOnce(t, "a", "secret")
			_ = SayOnce(t, "b", "secret")
			return nil
		}),
		"out of sight": invokes(sayer("secret"), OutputHistory),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Participant{Name: "p", Agent: WithHooks(agent, refuses)}
			out := newRig(t, team(Sequential(), p)).say("go")
			codeOf(t, out, errcode.GuardrailRefused)
			equal(t, "public", errcode.Public(out.err), "Not this.")
			if open := openIDs(out.err); len(open) != 1 {
				t.Errorf("incomplete messages: %v", open)
			}
			p.OnError.Skip = true
			r := newRig(t, team(Sequential(), p, Participant{Name: "after", Agent: sayer("next")}))
			must(t, r.say("go").err)
			equal(t, "last", r.messages[len(r.messages)-1].Content.Text(), "next")
			codeOf(t, newRig(t, p.Agent).say("go"), errcode.GuardrailRefused)
		})
	}
}

func openIDs(err error) []string {
	if e, ok := errors.AsType[*openMessagesError](err); ok {
		return e.ids
	}
	return nil
}

// TestAFailedTurnShowsWhatItsFilterHeldBack, and the message is not complete.
func TestAFailedTurnShowsWhatItsFilterHeldBack(t *testing.T) {
	t.Parallel()
	breaks := AgentFunc(func(_ context.Context, t *Turn) error {
		if _, err := t.Text().WriteString("so far"); err != nil {
			return err
		}
		return errors.New("broke")
	})
	for name, agent := range map[string]Agent{
		"root":        WithHooks(breaks, bracket("*")),
		"participant": team(Sequential(), Participant{Name: "p", Agent: WithHooks(breaks, bracket("*"))}),
	} {
		out := newRig(t, agent).say("go")
		codeOf(t, out, errcode.AgentFailed)
		if said := deltas(out); said != "*so far*" || len(openIDs(out.err)) != 1 {
			t.Errorf("%s: said %q, incomplete %v", name, said, openIDs(out.err))
		}
	}
}

func deltas(s *stream) string {
	var said strings.Builder
	for _, e := range s.events {
		if c, ok := e.(*agui.TextMessageContent); ok {
			said.WriteString(c.Delta)
		}
	}
	return said.String()
}

// TestFiltersBeginAnew with each try of a turn.
func TestFiltersBeginAnew(t *testing.T) {
	t.Parallel()
	tries := 0
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		if tries++; tries == 1 {
			_, _ = t.Text().WriteString("one ")
			return errors.New("once more")
		}
		return SayOnce(t, "s", "two")
	})
	made := 0
	counts := Hooks{Stream: func(*Turn) run.Filter {
		made++
		n, seen := made, 0
		return func(e agui.Event, next run.Emit) error {
			if c, ok := e.(*agui.TextMessageContent); ok {
				seen++
				c.Delta = fmt.Sprintf("%d.%d:%s", n, seen, c.Delta)
			}
			return next(e)
		}
	}}
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: WithHooks(agent, counts), OnError: failure.Policy{Retries: 1, Backoff: -1}}))
	out := r.say("go")
	must(t, out.err)
	equal(t, "said", deltas(out), "1.1:one 2.1:two")
}

// TestHostileFilters: whatever a filter does, the stream is in order (which the rig checks) and the run ends with a
// code.
func TestHostileFilters(t *testing.T) {
	t.Parallel()
	var late run.Emit
	for name, f := range map[string]run.Filter{
		"drops starts": func(e agui.Event, next run.Emit) error {
			if _, ok := e.(*agui.TextMessageStart); ok {
				return nil
			}
			return next(e)
		},
		"drops ends": func(e agui.Event, next run.Emit) error {
			if _, ok := e.(*agui.TextMessageEnd); ok {
				return nil
			}
			return next(e)
		},
		"ends twice": func(e agui.Event, next run.Emit) error {
			if end, ok := e.(*agui.TextMessageEnd); ok {
				_ = next(&agui.TextMessageEnd{MessageID: end.MessageID})
			}
			return next(e)
		},
		"makes up a subagent": func(e agui.Event, next run.Emit) error {
			_ = next(&agui.SubagentStarted{SubagentRunID: "made up", Name: "x"})
			return next(e)
		},
		"ends the run":        func(_ agui.Event, next run.Emit) error { return next(&agui.RunFinished{}) },
		"sends nothing":       func(agui.Event, run.Emit) error { return nil },
		"sends nil":           func(_ agui.Event, next run.Emit) error { return next(nil) },
		"keeps next":          func(e agui.Event, next run.Emit) error { late = next; return next(e) },
		"panics in the midst": func(e agui.Event, next run.Emit) error { _ = next(e); panic("hostile") },
	} {
		r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: WithHooks(talks("a", "b"), Hooks{Name: name, Stream: func(*Turn) run.Filter { return f }})}))
		out := r.say("go")
		if out.err != nil && errcode.Of(out.err) == errcode.Internal {
			t.Errorf("%s: %v", name, out.err)
		}
	}
	if err := late(&agui.Custom{Name: "x.y"}); err == nil {
		t.Error("something is sent after the end")
	}
}

// TestGoroutinesOfATurnShareItsFilter, which is given one event at a time.
func TestGoroutinesOfATurnShareItsFilter(t *testing.T) {
	t.Parallel()
	seen := map[string]int{} // without a lock: the race detector sees two at once
	counts := Hooks{Stream: func(*Turn) run.Filter {
		return func(e agui.Event, next run.Emit) error {
			if c, ok := e.(*agui.TextMessageContent); ok {
				seen[c.MessageID]++
			}
			return next(e)
		}
	}}
	agent := AgentFunc(func(_ context.Context, t *Turn) error {
		for range 4 {
			t.Go(func() error {
				text := t.Text()
				for range 10 {
					if _, err := text.WriteString("x"); err != nil {
						return err
					}
				}
				return text.Close()
			})
		}
		return nil
	})
	must(t, newRig(t, WithHooks(agent, counts)).say("go").err)
	var counted []int
	for _, n := range seen {
		counted = append(counted, n)
	}
	equal(t, "pieces", counted, slices.Repeat([]int{10}, 4))
}

// TestAHookedSpecialistSpeaksThroughTheModelOfItsCaller, and is described as itself.
func TestAHookedSpecialistSpeaksThroughTheModelOfItsCaller(t *testing.T) {
	t.Parallel()
	var asked sync.Map
	around := Hooks{Model: func(ctx context.Context, c ModelCall, next ModelFunc) (model.Reply, error) {
		asked.Store(c.Turn.Path(), true)
		return next(ctx, c)
	}}
	specialist := AsTool(WithHooks(&LLM{Description: "knows"}, around), AsToolOptions{Name: "expert"})
	specialist.Approve = tools.ApproveNever
	equal(t, "description", specialist.Description, "knows")
	agent := &LLM{Tools: []Tool{specialist}, Model: model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
		last := r.Messages[len(r.Messages)-1]
		if last.Text == "go" {
			return model.Reply{Calls: []model.Call{{Name: "expert", Arguments: `{"query":"why?"}`}}}, nil
		}
		return model.Reply{Text: "said to " + last.Text}, nil
	})}
	r := newRig(t, WithHooks(agent, Hooks{}))
	must(t, r.say("go").err)
	if _, ok := asked.Load("expert"); !ok {
		t.Error("the specialist's hooks were not called")
	}
	var raw json.RawMessage
	raw, _ = json.Marshal(texts(r.messages))
	if !strings.Contains(string(raw), "said to said to why?") {
		t.Errorf("%s", raw)
	}
}
