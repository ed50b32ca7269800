package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

// A recording notes what its agents were shown, by speaker and in order.
type recording struct {
	mu   sync.Mutex
	seen []string
}

func (r *recording) agent(name string) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error {
		r.mu.Lock()
		r.seen = append(r.seen, fmt.Sprintf("%s:%s", name, texts(t.News())))
		r.mu.Unlock()
		return SayOnce(t, "say", name)
	})
}

func (r *recording) abc() []Participant {
	return []Participant{{Name: "A", Agent: r.agent("A")}, {Name: "B", Agent: r.agent("B")}, {Name: "C", Agent: r.agent("C")}}
}

func TestRow74DeltasOfARoundRobin(t *testing.T) {
	t.Parallel()
	var rec recording
	chat := team(RoundRobin(), rec.abc()...)
	chat.MaxRounds = 4
	r := newRig(t, chat)
	must(t, r.say("hello").err)
	equal(t, "history", texts(r.messages), []string{"hello", "A", "B", "C", "A"})
	equal(t, "deltas", rec.seen, []string{"A:[hello]", "B:[hello A]", "C:[hello A B]", "A:[B C]"})
}

func TestRow17MaxRoundsCountsTurns(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 5; n++ {
		var rec recording
		chat := team(RoundRobin(), rec.abc()...)
		chat.MaxRounds = n
		for again := range 2 { // the same value starts at round 0
			r := newRig(t, chat)
			must(t, r.say("go").err)
			if got := len(r.messages) - 1; got != n {
				t.Errorf("max %d, run %d: %d messages", n, again+1, got)
			}
		}
	}
	chat := team(RoundRobin(), Participant{Name: "a", Agent: sayer("a")})
	r := newRig(t, chat)
	must(t, r.say("go").err)
	if got := len(r.messages) - 1; got != 40 {
		t.Errorf("default is %d rounds, want 40", got)
	}
}

func TestClosingIsSaidAtTheEndOfTheRounds(t *testing.T) {
	t.Parallel()
	chat := team(RoundRobin(), Participant{Name: "a", Agent: sayer("a")})
	chat.MaxRounds, chat.Closing = 2, "Enough."
	r := newRig(t, chat)
	s := r.say("go")
	must(t, s.err)
	equal(t, "stream", s.shape(), "a { a } a a { a } a supervisor { Enough. } supervisor")
	equal(t, "name", r.messages[3].Name, "supervisor")
}

type prefixing struct{ Manager }

func (prefixing) Deliver(_ View, messages []Message) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		m.Content = agui.TextContent("> " + m.Content.Text())
		out[i] = m
	}
	return out
}

func TestFilterChangesWhatIsSeenNotWhatWasSaid(t *testing.T) {
	t.Parallel()
	var rec recording
	chat := team(func() Manager { return prefixing{RoundRobin()()} }, rec.abc()...)
	chat.MaxRounds = 2
	r := newRig(t, chat)
	must(t, r.say("hi").err)
	equal(t, "seen", rec.seen, []string{"A:[> hi]", "B:[> hi > A]"})
	equal(t, "history", texts(r.messages), []string{"hi", "A", "B"})
}

func TestResumeInTheMiddleKeepsOrderAndNumberOfTurns(t *testing.T) {
	t.Parallel()
	var rec recording
	people := rec.abc()
	inner := people[1].Agent
	people[1].Agent = AgentFunc(func(ctx context.Context, t *Turn) error {
		if err := SayOnce(t, "before", "thinking"); err != nil {
			return err
		}
		if _, err := t.Ask(Question{Key: "q"}); err != nil {
			return err
		}
		return inner.Run(ctx, t)
	})
	chat := team(RoundRobin(), people...)
	chat.MaxRounds = 4
	r := newRig(t, chat)
	must(t, r.say("hello").err)
	equal(t, "waits", len(r.open), 1)
	s := r.answer(map[string]string{"q": `1`})
	must(t, s.err)
	equal(t, "steps of the resumed run", s.steps(), []string{"B", "C", "A"})
	equal(t, "history", texts(r.messages), []string{"hello", "A", "thinking", "B", "C", "A"})
	// B is not shown its own words as news although it said some before it asked.
	equal(t, "deltas", rec.seen, []string{"A:[hello]", "B:[hello A]", "C:[hello A thinking B]", "A:[thinking B C]"})
}

func TestRow16UntilIsAskedOfTheInputToo(t *testing.T) {
	t.Parallel()
	var rec recording
	chat := team(RoundRobin(), rec.abc()...)
	chat.Until = func(View) bool { return true }
	r := newRig(t, chat)
	must(t, r.say("x").err)
	equal(t, "turns", len(rec.seen), 0)
	chat = team(RoundRobin(), rec.abc()...)
	chat.Until = func(v View) bool {
		replies := 0
		for _, m := range v.History() {
			if m.Name == "A" {
				replies++
			}
		}
		return replies == 2
	}
	r = newRig(t, chat)
	must(t, r.say("x").err)
	equal(t, "history", texts(r.messages), []string{"x", "A", "B", "C", "A"})
}

func TestRow15UnknownSpeakerIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	chat := team(func() Manager {
		return managerFunc(func(context.Context, View) (Decision, error) { return Decision{Speaker: "nobody"}, nil })
	}, Participant{Name: "a", Agent: sayer("a")})
	s := newRig(t, chat).say("x")
	codeOf(t, s, errcode.UnknownSpeaker)
	if want := `unknown_speaker: groupchat: manager chose "nobody"`; s.err.Error() != want {
		t.Errorf("error = %q, want %q", s.err, want)
	}
}

func TestTrapT2ASpeakerThatDoesNothingIsNotChosenAgain(t *testing.T) {
	t.Parallel()
	idle := AgentFunc(func(context.Context, *Turn) error { return nil })
	always := func(name string) func() Manager { return Rules(name) }
	s := newRig(t, team(always("a"), Participant{Name: "a", Agent: idle})).say("x")
	codeOf(t, s, errcode.NoProgress)
	// Somebody who changes the state, or asks, is busy.
	busy := AgentFunc(func(_ context.Context, t *Turn) error {
		var n int
		_, _ = t.State().Get("/n", &n)
		return t.State().Set("/n", n+1)
	})
	chat := team(always("a"), Participant{Name: "a", Agent: busy})
	chat.MaxRounds = 3
	must(t, newRig(t, chat).say("x").err)
	asks := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := t.Ask(Question{Key: "k"})
		return err
	})
	chat = team(always("a"), Participant{Name: "a", Agent: asks})
	chat.MaxRounds = 2
	r := newRig(t, chat)
	must(t, r.say("x").err)
	must(t, r.answer(map[string]string{"k": "1"}).err)
	equal(t, "asked again", len(r.open), 1)
	must(t, r.answer(map[string]string{"k": "1"}).err)
	equal(t, "rounds are over", len(r.open), 0)
}

func TestRow19ManagersAreFreshPerRunAndRow73TheirCursorSurvivesAPause(t *testing.T) {
	t.Parallel()
	chat := team(func() Manager { return &cursor{order: []string{"a", "b", "a"}} },
		Participant{Name: "a", Agent: asker("k")}, Participant{Name: "b", Agent: sayer("b")})
	for range 2 {
		r := newRig(t, chat)
		must(t, r.say("x").err)
		s := r.answer(map[string]string{"k": `1`})
		must(t, s.err)
		equal(t, "steps", s.steps(), []string{"a", "b", "a"})
		s = r.answer(map[string]string{"k": `2`})
		must(t, s.err)
		equal(t, "steps", s.steps(), []string{"a"})
		equal(t, "history", texts(r.messages), []string{"x", "1", "b", "2"})
		equal(t, "state has no cursor", string(r.state), "{}")
	}
}

// A cursor is a manager with something to remember.
type cursor struct {
	order []string
	at    int
}

func (c *cursor) Next(context.Context, View) (Decision, error) {
	if c.at == len(c.order) {
		return Decision{Done: true}, nil
	}
	c.at++
	return Decision{Speaker: c.order[c.at-1]}, nil
}
func (c *cursor) Snapshot() (json.RawMessage, error) { return json.Marshal(c.at) }
func (c *cursor) Restore(raw json.RawMessage) error {
	if err := json.Unmarshal(raw, &c.at); err != nil || c.at < 0 || c.at > len(c.order) {
		return fmt.Errorf("no place for the cursor: %s", raw)
	}
	return nil
}

func TestSupervisorSaysAndDoesInAStepOfItsOwn(t *testing.T) {
	t.Parallel()
	chat := team(func() Manager {
		return managerFunc(func(_ context.Context, v View) (Decision, error) {
			act := func(_ context.Context, t *Turn) error { return t.State().Set("/round", v.Round) }
			if v.Round == 1 {
				return Decision{Done: true, Say: "Done.", Act: act}, nil
			}
			return Decision{Speaker: "a", Say: "Go", Act: act, Instruction: "be brief"}, nil
		})
	}, Participant{Name: "a", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
		return SayOnce(t, "say", t.Instruction())
	})})
	chat.Supervisor = "boss"
	r := newRig(t, chat)
	s := r.say("x")
	must(t, s.err)
	equal(t, "stream", s.shape(), "boss { Go state } boss a { be  brief } a boss { Done. state } boss")
	equal(t, "commits", len(r.commits), 1)
	asks := func(_ context.Context, t *Turn) error { _, err := t.Ask(Question{Key: "k"}); return err }
	chat = team(func() Manager {
		return managerFunc(func(context.Context, View) (Decision, error) { return Decision{Done: true, Act: asks}, nil })
	}, Participant{Name: "a", Agent: sayer("a")})
	codeOf(t, newRig(t, chat).say("x"), errcode.Internal)
}

func TestGotoReachesTheManager(t *testing.T) {
	t.Parallel()
	var heard []string
	chat := team(func() Manager {
		return managerFunc(func(_ context.Context, v View) (Decision, error) {
			heard = append(heard, v.LastSpeaker+">"+v.Goto)
			if v.Round == 0 {
				return Decision{Speaker: "a"}, nil
			}
			return Decision{Speaker: v.Goto, Done: v.Goto == ""}, nil
		})
	}, Participant{Name: "a", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
		t.Goto("b")
		return nil
	})}, Participant{Name: "b", Agent: sayer("b")})
	must(t, newRig(t, chat).say("x").err)
	equal(t, "heard", heard, []string{">", "a>b", "b>"})
}

func TestRow76LastShowsThePreviousSpeakersWordsOnly(t *testing.T) {
	t.Parallel()
	var seen [][]string
	watch := func(text string) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error {
			seen = append(seen, texts(t.Messages()))
			if err := SayOnce(t, "say", text); err != nil {
				return err
			}
			seen = append(seen, texts(t.Messages()))
			return nil
		})
	}
	chat := team(Sequential(), Participant{Name: "a", Agent: watch("A")},
		Participant{Name: "b", Agent: watch("B"), Context: Context{Last: true}},
		Participant{Name: "c", Agent: watch("C"), Context: Context{Select: func(v View) []Message { return v.History()[:1] }}})
	must(t, newRig(t, chat).say("x").err)
	equal(t, "seen", seen, [][]string{{"x"}, {"x", "A"}, {"A"}, {"A", "B"}, {"x"}, {"x", "C"}})
}

func TestOthersToolCallsStayTheirs(t *testing.T) {
	t.Parallel()
	caller := AgentFunc(func(_ context.Context, t *Turn) error {
		call := t.out.ToolCall(run.ToolCallOptions{Name: "lookup"})
		if err := call.Result(agui.TextContent("42")); err != nil {
			return err
		}
		return SayOnce(t, "say", "It is 42.")
	})
	var seen, own []agui.Role
	roles := func(into *[]agui.Role) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error {
			for _, m := range t.Messages() {
				*into = append(*into, m.Role)
			}
			return nil
		})
	}
	chat := team(func() Manager { return &cursor{order: []string{"a", "b", "c"}} },
		Participant{Name: "a", Agent: caller}, Participant{Name: "b", Agent: roles(&seen)},
		Participant{Name: "c", Agent: AgentFunc(func(ctx context.Context, t *Turn) error {
			t.participant, t.as, t.path = &Participant{Name: "a"}, "a", []string{"a"} // as a sees it in its next turn
			return roles(&own).Run(ctx, t)
		})})
	must(t, newRig(t, chat).say("x").err)
	equal(t, "of others", seen, []agui.Role{agui.RoleUser, agui.RoleAssistant})
	equal(t, "its own", own, []agui.Role{agui.RoleUser, agui.RoleAssistant, agui.RoleTool, agui.RoleAssistant})
}

func TestMiddlewareWrapsFirstOutermost(t *testing.T) {
	t.Parallel()
	var order []string
	layer := func(name string) func(Agent) Agent {
		return func(a Agent) Agent {
			return AgentFunc(func(ctx context.Context, t *Turn) error {
				order = append(order, name)
				return a.Run(ctx, t)
			})
		}
	}
	chat := team(Sequential(), Participant{Name: "a", Agent: sayer("a")})
	chat.Middleware = []func(Agent) Agent{layer("outer"), layer("inner")}
	must(t, newRig(t, chat).say("x").err)
	equal(t, "order", order, []string{"outer", "inner"})
}

func TestRow52OneChatServesManyThreads(t *testing.T) {
	t.Parallel()
	chat := team(Rules(Done, Rule{missing("/a"), "a"}, Rule{missing("/b"), "nest"}),
		Participant{Name: "a", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
			a, err := t.Ask(Question{Key: "k", Message: "k?"})
			if err != nil {
				return err
			}
			return t.State().Set("/a", a.Payload)
		})},
		Participant{Name: "nest", Agent: team(Sequential(), Participant{Name: "b", Agent: AgentFunc(func(_ context.Context, t *Turn) error {
			for i := range 3 {
				t.Go(func() error { return t.State().Set(fmt.Sprintf("/b%d", i), t.Messages()[0].Content.Text()) })
			}
			return t.State().Set("/b", true)
		})})})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			r := newRig(t, chat)
			text := fmt.Sprint("thread ", i)
			if s := r.say(text); s.err != nil || len(r.open) != 1 {
				t.Errorf("thread %d: %v", i, s.err)
				return
			}
			if s := r.answer(map[string]string{"k": fmt.Sprint(i)}); s.err != nil {
				t.Errorf("thread %d: %v", i, s.err)
			}
			want := fmt.Sprintf(`{"a":%d,"b":true,"b0":%q,"b1":%[2]q,"b2":%[2]q}`, i, text)
			if string(r.state) != want {
				t.Errorf("thread %d: state %s, want %s", i, r.state, want)
			}
		})
	}
	wg.Wait()
}

func TestTurnTellsWhereItIs(t *testing.T) {
	t.Parallel()
	var got []any
	chat := team(Sequential(), Participant{Name: "a", Agent: team(Sequential(), Participant{Name: "b", Agent: AgentFunc(func(ctx context.Context, t *Turn) error {
		last, ok := t.LastUser()
		got = []any{t.Path(), t.ID(), last.Content.Text(), ok, t.Context() == ctx, slices.Clone(t.Input().Tools)}
		return nil
	})})})
	must(t, newRig(t, chat).say("x").err)
	equal(t, "turn", got, []any{"a.b", "1/a@1/b@1", "x", true, true, []agui.Tool(nil)})
}

var _ document.Reader = (*document.Document)(nil)
