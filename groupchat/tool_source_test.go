package groupchat

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// A shelf is a source with tools that a test puts there.
type shelf struct {
	tools []Tool
	err   error
	fail  bool
}

func (s *shelf) Tools(context.Context) ([]Tool, error) {
	if s.fail {
		panic("shelf broke")
	}
	return s.tools, s.err
}

// TestToolsOfASource are those there are when a turn is entered; a source that is away stops no turn.
func TestToolsOfASource(t *testing.T) {
	t.Parallel()
	c := &counted{}
	odd := c.tool("odd")
	odd.Parameters = json.RawMessage(`{"type":`)
	f := c.tool("f")
	f.Description = "first"
	s := &shelf{tools: []Tool{f, odd, c.tool("g")}}
	m := newMind(t, calls("g", `{"x":1}`), says("Done."), says("Again."), says("Still."), says("On."))
	r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{c.tool("f")}, Sources: []ToolSource{s}})
	equal(t, "stream", r.say("go").shape(), "call g result g done Done.")
	equal(t, "tools", m.asked[0].tools(), "f g")
	equal(t, "the agent's own counts", m.asked[0].Tools[0].Function.Description, "")

	s.tools, s.err = []Tool{c.tool("h")}, errStore
	equal(t, "stream", r.say("go").shape(), "Again.")
	equal(t, "tools", m.asked[2].tools(), "f h")
	s.fail = true
	equal(t, "stream", r.say("go").shape(), "Still.")
	equal(t, "tools", m.asked[3].tools(), "f")
}

// TestAToolOfASourceThatIsAway lets a call wait for a person and the tool's source go away meanwhile. The result says
// that the tool is not there now, not that there never was one, and what the person said stays said.
func TestAToolOfASourceThatIsAway(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err    error // of the source; it has no tools either way
		answer string
		want   string
	}{
		"approved, away":    {errStore, `{"approved":true}`, "The tool is not available now."},
		"approved, removed": {nil, `{"approved":true}`, "The tool is not available now."},
		"edited, away":      {errStore, `{"approved":true,"editedArgs":{"x":2}}`, "The tool is not available now."},
		"denied, away":      {errStore, `{"approved":false}`, approval.NotApproved},
		"cancelled, away":   {errStore, `cancel`, approval.NotApproved},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &counted{}
			s := &shelf{tools: []Tool{c.tool("f")}}
			m := newMind(t, calls("f", `{"x":1}`), says("Pity."))
			agent := &LLM{Model: m.model(), Sources: []ToolSource{s}, Approve: tools.Approvals{All: true}}
			equal(t, "asks", agent.Describe().Interrupts, true)
			r := newRig(t, Sub(agent, SubOptions{Output: OutputNone}))
			equal(t, "proposed", r.say("go").shape(), "call f")
			s.tools, s.err = nil, tt.err
			equal(t, "the client sees what came of the call", r.answer(map[string]string{"approve/llm/0/0": tt.answer}).shape(), "result "+tt.want)
			equal(t, "called", len(c.called()), 0)
		})
	}
}

// TestACallOfASourceThatIsAway is taken over by a replica that does not reach the source of the tool that was being
// called. No agent knows what became of a call that may not be repeated.
func TestACallOfASourceThatIsAway(t *testing.T) {
	t.Parallel()
	for _, repeat := range []tools.Repeat{tools.RepeatAgain, tools.RepeatNever} {
		t.Run("repeat "+string(repeat), func(t *testing.T) {
			t.Parallel()
			ctx, kill := context.WithCancelCause(context.Background())
			tool := Tool{Name: "f", Repeat: repeat, Call: func(ctx context.Context, _ ToolCall) (tools.Result, error) {
				kill(errDied)
				return tools.Result{}, ctx.Err()
			}}
			s := &shelf{tools: []Tool{tool}}
			m := newMind(t, calls("f", `{}`, "g", `{}`), says("Pity."))
			r := newRig(t, &LLM{Model: m.model(), Sources: []ToolSource{s}})
			r.ctx = ctx
			r.say("go")
			r.ctx, s.tools, s.err = context.Background(), nil, errStore
			second := r.run(Session{Memo: maps.Clone(r.onces), Takeover: true})
			want := "The tool is not available now."
			if repeat == tools.RepeatNever {
				want = toolLost
			}
			equal(t, "stream", second.shape(), "call f call g result "+want+" result The tool is not available now. Pity.")
			s.err = nil
			m.scripts = []script{calls("g", `{}`), says("So be it.")}
			equal(t, "without any source away", r.say("on").shape(), "call g result There is no such tool. So be it.")
		})
	}
}

// Requests say when tools are missing, or the model answers as if they had never existed.
func TestAModelKnowsThatToolsAreMissing(t *testing.T) {
	t.Parallel()
	const told = "Some of your tools cannot be used now."
	c := &counted{}
	s := &shelf{tools: []Tool{c.tool("f")}, err: errStore}
	m := newMind(t, says("I cannot look that up now."), says("Now I can."))
	r := newRig(t, &LLM{Model: m.model(), Sources: []ToolSource{s}})
	r.say("go")
	if !strings.Contains(m.asked[0].String(), told) {
		t.Errorf("the model is not told that tools are missing: %s", m.asked[0])
	}
	s.err = nil
	r.say("again")
	if strings.Contains(m.asked[1].String(), told) {
		t.Errorf("the model is told that tools are missing, and none are: %s", m.asked[1])
	}
}

// A neededShelf is a source without which its agent does not work.
type neededShelf struct{ *shelf }

func (neededShelf) Required() bool { return true }

// TestASourceThatIsNeeded fails a turn that begins without its tools, and not one that is under way: a person's answer
// would be lost.
func TestASourceThatIsNeeded(t *testing.T) {
	t.Parallel()
	c := &counted{}
	s := &shelf{err: errStore}
	m := newMind(t, calls("g", `{"x":1}`), says("Done."))
	r := newRig(t, &LLM{Model: m.model(), Sources: []ToolSource{neededShelf{s}}, Approve: tools.Approvals{All: true}})
	equal(t, "code", errcode.Of(r.say("go").err), errcode.ToolFailed)
	equal(t, "requests", len(m.asked), 0)

	s.tools, s.err = []Tool{c.tool("g")}, nil
	must(t, r.say("go").err)
	s.err = errStore // and what it last had is what it returns
	equal(t, "stream", r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`}).shape(), "result g done Done.")
}
