package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// A receipt loses something on its way through JSON.
type receipt struct {
	Paid  int       `json:"paid"`
	At    time.Time `json:"at"`
	notes string
}

// TestOnceReturnsWhatItRecorded gives the code after an effect the same value each time: an agent that works the first
// time works after a pause, too.
func TestOnceReturnsWhatItRecorded(t *testing.T) {
	t.Parallel()
	var got []receipt
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		paid, err := Once(t, "pay", func() (receipt, error) {
			return receipt{Paid: 3, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)), notes: "by card"}, nil
		})
		if err != nil {
			return err
		}
		got = append(got, paid)
		_, err = t.Ask(Question{Key: "k", Message: "Sure?"})
		return err
	}))
	must(t, r.say("go").err)
	must(t, r.answer(map[string]string{"k": "1"}).err)
	if len(got) < 2 {
		t.Fatalf("entered %d times", len(got))
	}
	for i, paid := range got {
		if paid != got[len(got)-1] || paid.notes != "" || paid.Paid != 3 {
			t.Errorf("entry %d got %+v, the last one %+v", i, paid, got[len(got)-1])
		}
	}
}

// A sealed value cannot be read back from its JSON.
type sealed struct{}

func (sealed) MarshalJSON() ([]byte, error) { return []byte(`"sealed"`), nil }

func (*sealed) UnmarshalJSON([]byte) error { return errors.New("sealed") }

// TestOnceWantsWhatSurvivesJSON fails at once, not after the first pause, and calls no policy that would repeat the
// effect.
func TestOnceWantsWhatSurvivesJSON(t *testing.T) {
	t.Parallel()
	for name, once := range map[string]func(*Turn, *int) error{
		"what cannot be written": func(t *Turn, n *int) error {
			_, err := Once(t, "k", func() (func(), error) { *n++; return func() {}, nil })
			return err
		},
		"what cannot be read back": func(t *Turn, n *int) error {
			_, err := Once(t, "k", func() (sealed, error) { *n++; return sealed{}, nil })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			agent := AgentFunc(func(_ context.Context, t *Turn) error { return once(t, &n) })
			r := newRig(t, team(Sequential(), Participant{Name: "a", Agent: agent, OnError: failure.Policy{Retries: 2, Backoff: -1, Skip: true}}))
			codeOf(t, r.say("go"), errcode.AgentFailed)
			equal(t, "effects", n, 1)
			equal(t, "recorded", len(r.onces), 0)
		})
	}
}

// TestAnEffectIsProgress lets a speaker work through effects alone, without messages or changes of the state.
func TestAnEffectIsProgress(t *testing.T) {
	t.Parallel()
	effects := 0
	files := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := Once(t, "file", func() (bool, error) { effects++; return true, nil })
		return err
	})
	quiet := func(agent Agent) Agent { return Sub(agent, SubOptions{Output: OutputNone}) }
	c := &counted{}
	m := newMind(t, calls("f", `{}`), script{Body: finish("stop")}, calls("f", `{}`), script{Body: finish("stop")}, calls("f", `{}`), script{Body: finish("stop")})
	for name, tt := range map[string]struct {
		agent Agent
		done  func() int
	}{
		"an effect":              {files, func() int { return effects }},
		"a tool of an agent":     {quiet(&LLM{Model: m.model(), Tools: []Tool{c.tool("f")}}), func() int { return len(c.called()) }},
		"an effect further down": {quiet(team(Sequential(), Participant{Name: "in", Agent: files})), func() int { return effects }},
	} {
		effects = 0
		chat := team(Rules("a"), Participant{Name: "a", Agent: tt.agent})
		chat.MaxRounds = 3
		must(t, newRig(t, chat).say("go").err)
		equal(t, name, tt.done(), 3)
	}
	silent := &LLM{Model: newMind(t, script{Body: finish("stop")}).model()}
	codeOf(t, newRig(t, team(Rules("a"), Participant{Name: "a", Agent: silent})).say("go"), errcode.NoProgress) // a reply is none
	manager := LLMManager(LLMManagerOptions{Model: newMind(t, chooses("b", ""), terminates).model()})
	idle := team(manager, Participant{Name: "b", Agent: AgentFunc(func(context.Context, *Turn) error { return nil })})
	idle.Manager = func() Manager { return &silenced{Manager: manager()} }
	codeOf(t, newRig(t, team(Rules("a"), Participant{Name: "a", Agent: idle})).say("go"), errcode.NoProgress) // nor is a choice
}

// silenced is a manager that decides, and says nothing.
type silenced struct{ Manager }

func (m *silenced) Next(ctx context.Context, v View) (Decision, error) {
	d, err := m.Manager.Next(ctx, v)
	d.Say = ""
	return d, err
}

// TestATakenOverEffectIsProgress finds the effect in the record of a process that died.
func TestATakenOverEffectIsProgress(t *testing.T) {
	t.Parallel()
	effects := 0
	files := AgentFunc(func(_ context.Context, t *Turn) error {
		_, err := Once(t, "file", func() (bool, error) { effects++; return true, nil })
		return err
	})
	chat := team(Rules("a"), Participant{Name: "a", Agent: files})
	chat.MaxRounds = 2
	r := newRig(t, chat)
	r.messages = []Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("go")}}
	must(t, r.run(Session{Takeover: true, Memo: map[string]json.RawMessage{"1/a@1/once/file": json.RawMessage("true")}}).err)
	equal(t, "effects", effects, 1)
}

// TestSayWithoutAKey says each text of a turn once, also when the turn is entered again.
func TestSayWithoutAKey(t *testing.T) {
	t.Parallel()
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		for _, text := range []string{"Hm.", "Hm.", "Well."} {
			if err := Say(t, text); err != nil {
				return err
			}
		}
		answer, err := Choose(t, Question{Key: "size", Message: "Which size?"}, "S", "L")
		if err != nil {
			return err
		}
		if err := Say(t, "Well."); err != nil {
			return err
		}
		return Sayf(t, "%s it is.", answer)
	}))
	must(t, r.say("go").err)
	equal(t, "said before the answer", texts(r.messages)[1:], []string{"Hm.", "Hm.", "Well."})
	must(t, r.answer(map[string]string{"size": `"L"`}).err)
	equal(t, "said", texts(r.messages)[1:], []string{"Hm.", "Hm.", "Well.", "Well.", "L it is."})
}
