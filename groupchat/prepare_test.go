package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

func TestProvidersMakeWhatAModelIsTold(t *testing.T) {
	t.Parallel()
	c := &counted{}
	m := newMind(t, calls("found", `{"x":1}`), says(`{"a":1}`))
	first := func(_ context.Context, t *Turn, p *Prepared) error {
		p.Instructions += " For " + t.Principal().ID + "."
		p.Before = append(p.Before, message(agui.RoleUser, "memory", "Likes tea."), message(agui.RoleUser, "", "Hello?"), message(agui.RoleAssistant, "", "Hello!"))
		p.Tools = append(p.Tools[:0], c.tool("found"))
		return nil
	}
	second := func(_ context.Context, _ *Turn, p *Prepared) error {
		last, _ := p.View.LastUser()
		p.After = append(p.After, message(agui.RoleAssistant, "documents", "About "+last.Content.Text()), message(agui.RoleSystem, "", "Be brief."))
		p.Sees = append(p.Sees, "/x")
		p.Output = &LLMOutput{Schema: json.RawMessage(`{"type":"object","required":["a"]}`)}
		return nil
	}
	agent := &LLM{Model: m.model(), Instructions: "Help.", Tools: []Tool{c.tool("own")}, Prepare: []Provider{first, second}}
	r := newRig(t, asked{agent, Input{Principal: Principal{ID: "ada"}}})
	r.state = json.RawMessage(`{"x":5}`)
	must(t, r.say("go").err)
	equal(t, "tools", m.asked[0].tools(), "found")
	const told = "s:Help. For ada.\n\nBe brief. | u:memory: Likes tea. | u:Hello? | a:Hello! | u:" + situationText + "\n\nThe state at \"/x\" is now: 5 | u:go"
	const behind = " | u:documents: About go"
	equal(t, "first", m.requests()[0], told+behind)
	equal(t, "second", m.requests()[1], told+" | a: found{\"x\":1} | t:found done"+behind)
	equal(t, "the conversation", strings.Join(texts(r.messages), ", "), `go, , found done, {"a":1}`)
	equal(t, "the definition", fmt.Sprint(agent.Instructions, len(agent.Tools), agent.Output == nil), "Help.1 true")
}

// TestWhatWasPreparedIsTheSameAfterAPause counts how a provider's answer changes, and finds the first one in requests
// until the turn has ended: over a pause, a takeover within the turn, and a provider that fails meanwhile.
func TestWhatWasPreparedIsTheSameAfterAPause(t *testing.T) {
	t.Parallel()
	c := &counted{}
	n, broken := 0, false
	provider := func(_ context.Context, _ *Turn, p *Prepared) error {
		if n++; broken {
			return errStore
		}
		p.Instructions = fmt.Sprint("Version ", n)
		p.Before = []Message{message(agui.RoleUser, "", fmt.Sprint("before ", n))}
		f := c.tool("f")
		f.Description = fmt.Sprint("tool ", n)
		p.Tools = append(p.Tools, f)
		return nil
	}
	m := newMind(t, calls("f", `{"x":1}`), says("Done."))
	agent := &LLM{Model: m.model(), Approve: tools.Approvals{Tools: []string{"f"}}, Prepare: []Provider{provider}}
	equal(t, "asks", agent.Describe().Interrupts, true)
	r := newRig(t, agent)
	equal(t, "proposed", r.say("go").shape(), "call f")
	must(t, r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`}).err)
	equal(t, "told", m.last(), `s:Version 1 | u:before 1 | u:go | a: f{"x":1} | t:f done`)
	equal(t, "called", len(c.called()), 1)

	n, m.scripts = 0, []script{calls("f", `{"x":1}`), says("Pity.")}
	r = newRig(t, agent)
	equal(t, "proposed", r.say("go").shape(), "call f")
	broken = true
	s := r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`})
	equal(t, "without the provider", s.shape(), "result The tool is not available now. Pity.")
	if last := m.last(); !strings.HasPrefix(last, "s:Version 1 | u:before 1 | u:") || !strings.HasSuffix(last, " | u:go | a: f{\"x\":1} | t:The tool is not available now.") || !strings.Contains(last, "Some of your tools cannot be used now.") {
		t.Errorf("without the provider the model is told %q", last)
	}
	codeOf(t, r.say("again"), errcode.HookFailed)
	broken = false
	m.scripts = []script{says("Fine.")}
	must(t, r.say("again").err)
	if last := m.last(); !strings.HasPrefix(last, fmt.Sprint("s:Version ", n, " |")) {
		t.Errorf("a new turn is told %q, want version %d", last, n)
	}
}

// TestATakeoverIsToldTheSame dies in the turn's tool, and is taken over by a replica with a provider that would say
// something else.
func TestATakeoverIsToldTheSame(t *testing.T) {
	t.Parallel()
	n := 0
	ctx, kill := context.WithCancelCause(context.Background())
	tool := Tool{Name: "f", Call: func(ctx context.Context, _ ToolCall) (tools.Result, error) {
		if n == 1 {
			kill(errDied)
			return tools.Result{}, ctx.Err()
		}
		return tools.Text("done"), nil
	}}
	provider := func(_ context.Context, _ *Turn, p *Prepared) error {
		n++
		p.Instructions = fmt.Sprint("Version ", n)
		p.Tools = []Tool{tool}
		return nil
	}
	m := newMind(t, calls("f", `{}`), says("Done."))
	r := newRig(t, &LLM{Model: m.model(), Prepare: []Provider{provider}})
	r.ctx = ctx
	r.say("go")
	r.ctx = context.Background()
	must(t, r.run(Session{Memo: maps.Clone(r.onces), Takeover: true}).err)
	equal(t, "told", m.last(), `s:Version 1 | u:go | a: f{} | t:done`)
	equal(t, "entered", n, 2)
}

func TestAProviderThatFails(t *testing.T) {
	t.Parallel()
	many := make([]Tool, maxPreparedTools+1)
	for name, tt := range map[string]struct {
		f    Provider
		want errcode.Code
	}{
		"panics":      {func(context.Context, *Turn, *Prepared) error { panic("secret") }, errcode.HookFailed},
		"fails":       {func(context.Context, *Turn, *Prepared) error { return errors.New("secret") }, errcode.HookFailed},
		"with a code": {func(context.Context, *Turn, *Prepared) error { return &errcode.Error{Code: errcode.Forbidden} }, errcode.Forbidden},
		"too much": {func(_ context.Context, _ *Turn, p *Prepared) error {
			p.Instructions = strings.Repeat("x", maxPrepared)
			return nil
		}, errcode.TooLarge},
		"too many": {func(_ context.Context, _ *Turn, p *Prepared) error { p.Tools = many; return nil }, errcode.TooLarge},
		"a tool's word": {func(_ context.Context, _ *Turn, p *Prepared) error {
			p.After = []Message{{Role: agui.RoleTool}}
			return nil
		}, errcode.HookFailed},
		"a bad schema": {func(_ context.Context, _ *Turn, p *Prepared) error {
			p.Output = &LLMOutput{Schema: json.RawMessage(`{"type":3}`)}
			return nil
		}, errcode.HookFailed},
	} {
		m := newMind(t, says("never"))
		s := newRig(t, &LLM{Model: m.model(), Prepare: []Provider{tt.f}}).say("go")
		codeOf(t, s, tt.want)
		equal(t, name+": asked", len(m.asked), 0)
	}
	if (&LLM{Model: newMind(t).model(), Prepare: []Provider{nil}}).Validate() == nil {
		t.Error("a nil provider is accepted")
	}
}

// TestAProviderMayAsk a person: the answer is there when it is called again.
func TestAProviderMayAsk(t *testing.T) {
	t.Parallel()
	provider := func(_ context.Context, t *Turn, p *Prepared) error {
		a, err := t.Ask(Question{Key: "who", Message: "Who are you?"})
		if err == nil {
			p.Instructions = "For " + string(a.Payload)
		}
		return err
	}
	m := newMind(t, says("Hello."))
	r := newRig(t, &LLM{Model: m.model(), Prepare: []Provider{provider}})
	must(t, r.say("go").err)
	equal(t, "asked", r.open[0].Message, "Who are you?")
	must(t, r.answer(map[string]string{"who": `"Ada"`}).err)
	equal(t, "told", m.last(), `s:For "Ada" | u:go`)
}

// TestAToolThatIsTakenAway for a caller is no mistake of the approvals that name it.
func TestAToolThatIsTakenAway(t *testing.T) {
	t.Parallel()
	c := &counted{}
	m := newMind(t, calls("look", `{}`), says("Done."))
	provider := func(_ context.Context, _ *Turn, p *Prepared) error { p.Tools = p.Tools[:1]; return nil }
	agent := &LLM{Model: m.model(), Tools: []Tool{c.tool("look"), c.tool("refund")}, Approve: tools.Approvals{Tools: []string{"refund"}}, Prepare: []Provider{provider}}
	r := newRig(t, agent)
	equal(t, "not asked", r.say("go").shape(), "call look result look done Done.")
	equal(t, "tools", m.asked[0].tools(), "look")
}

func TestAManagersInstructionsAreComputed(t *testing.T) {
	t.Parallel()
	m := newMind(t, says(`{"next_speaker":"a"}`), says(`{"terminate":true}`), says(`{"next_speaker":"a"}`))
	add := func(_ context.Context, t *Turn, p *Prepared) error {
		p.Before = []Message{message(agui.RoleUser, "memory", "Was here before.")}
		p.Sees = []string{"/x"}
		return nil
	}
	o := LLMManagerOptions{Model: m.model(), Prepare: []Provider{instruct("Choose for {{input}} after {{last:a|nobody}}."), add}}
	r := newRig(t, team(LLMManager(o), Participant{Name: "a", Agent: sayer("words")}))
	r.state = json.RawMessage(`{"x":5}`)
	must(t, r.say("tea").err)
	for i, want := range []string{"s:Choose for tea after nobody.\n", "s:Choose for tea after words.\n"} {
		if got := m.requests()[i]; !strings.HasPrefix(got, want) || !strings.Contains(got, "u:memory: Was here before. | u:tea") || !strings.Contains(got, `The state at "/x" is now: 5`) {
			t.Errorf("request %d is %q", i, got)
		}
	}
	o.Prepare = []Provider{func(context.Context, *Turn, *Prepared) error { panic("no") }}
	codeOf(t, newRig(t, team(LLMManager(o), Participant{Name: "a", Agent: sayer("words")})).say("tea"), errcode.HookFailed)
	o.Fallback = Sequential()
	r = newRig(t, team(LLMManager(o), Participant{Name: "a", Agent: sayer("words")}))
	must(t, r.say("tea").err)
	equal(t, "the fallback", r.messages[1].Content.Text(), "words")
}

// TestWhatWasPreparedStaysInALongConversation shortens a conversation, and not what providers put around it.
func TestWhatWasPreparedStaysInALongConversation(t *testing.T) {
	t.Parallel()
	provider := func(_ context.Context, _ *Turn, p *Prepared) error {
		p.Before, p.After = []Message{message(agui.RoleUser, "", "before")}, []Message{message(agui.RoleUser, "", "after")}
		return nil
	}
	m := newMind(t, says("Yes."))
	r := newRig(t, &LLM{Model: m.model(), Prepare: []Provider{provider}, History: &history.Policy{Turns: 2}})
	for i := range 6 {
		must(t, r.say(fmt.Sprint("question ", i)).err)
	}
	last := m.last()
	if !strings.HasPrefix(last, "u:before | u:"+leftOutText) || !strings.HasSuffix(last, "u:question 5 | u:after") || strings.Contains(last, "question 1") {
		t.Errorf("the model is told %q", last)
	}
}
