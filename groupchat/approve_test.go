package groupchat

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// TestANameThatIsNoToolMakesEveryCallAsk misspells the tool in the approvals: the intended one cannot be
// known, so every call of the agent asks, and the log says why.
func TestANameThatIsNoToolMakesEveryCallAsk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		approve []string
		away    bool // the source is
		never   bool // its tools never ask
		asks    bool
	}{
		{name: "a tool of the source", approve: []string{"charge"}, asks: false},
		{name: "misspelt", approve: []string{"refnud"}, asks: true},
		{name: "misspelt beside one that is right", approve: []string{"charge", "refnud"}, asks: true},
		{name: "misspelt, over a source that never asks", approve: []string{"refnud"}, never: true, asks: true},
		{name: "of a source that is away", approve: []string{"fetch"}, away: true, asks: true},
		{name: "none", approve: nil, asks: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &counted{}
			refund := c.tool("refund")
			if tt.never {
				refund.Approve = tools.ApproveNever
			}
			sources := []ToolSource{&shelf{tools: []Tool{refund, c.tool("charge")}}}
			if tt.away {
				sources = append(sources, &shelf{err: errStore})
			}
			m := newMind(t, calls("refund", `{"x":1}`, "own", `{"x":2}`), says("Done."))
			own := c.tool("own")
			own.Approve = tools.ApproveNever
			r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{own}, Sources: sources, Approve: tools.Approvals{Tools: tt.approve}})
			var log bytes.Buffer
			r.log = slog.New(slog.NewTextHandler(&log, nil))
			r.say("go")
			want, asked := "refund{\"x\":1} own{\"x\":2}", 0
			if tt.asks {
				want, asked = "", 2
			}
			equal(t, "called", sorted(c.called()), sorted(strings.Fields(want)))
			equal(t, "questions", len(r.open), asked)
			if said := strings.Contains(log.String(), "level=ERROR"); said != (tt.asks && !tt.away) {
				t.Errorf("an error in the log: %v\n%s", said, &log)
			}
			if tt.asks && !strings.Contains(log.String(), tt.approve[len(tt.approve)-1]) {
				t.Errorf("the log does not name what was meant:\n%s", &log)
			}
		})
	}
}

// TestADeniedCallIsNotMade when the agent no longer wants approvals by the time the answer comes: what a person was
// asked counts, not what they would be asked today.
func TestADeniedCallIsNotMade(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]tools.Approvals{"no approvals": {}, "those of another tool": {Tools: []string{"charge"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &counted{}
			m := newMind(t, calls("refund", `{"x":1}`), says("Done."))
			agent := &LLM{Model: m.model(), Tools: []Tool{c.tool("refund"), c.tool("charge")}, Approve: tools.Approvals{All: true}}
			r := newRig(t, agent)
			r.say("go")
			changed := *agent
			changed.Approve = later
			r.root = &changed
			equal(t, "stream", r.answer(map[string]string{"approve/llm/0/0": `{"approved":false}`}).shape(), "result "+approval.NotApproved+" Done.")
			equal(t, "called", len(c.called()), 0)

			m = newMind(t, calls("refund", `{"x":1}`), says("Done.")) // and where the agent works in a call of another's tool
			inner := &LLM{Model: m.model(), Tools: []Tool{c.tool("refund"), c.tool("charge")}, Approve: tools.Approvals{All: true}}
			host := func() *LLM {
				return &LLM{Model: newMind(t, calls("help", `{}`), says("Helped.")).model(), Tools: []Tool{{Name: "help",
					Turn: func(ctx context.Context, t *Turn, _ ToolCall) (tools.Result, error) {
						return tools.Text("Well."), inner.Run(ctx, t)
					}}}}
			}
			r = newRig(t, host())
			r.say("go")
			inner.Approve = later
			key := where(r.open[0]).Key
			must(t, r.answer(map[string]string{key: `{"approved":false}`}).err)
			equal(t, "called in a call", len(c.called()), 0)
		})
	}
}

// TestWhetherAllCallsAskIsDecidedOnce in a turn, by the tools there were when it began.
func TestWhetherAllCallsAskIsDecidedOnce(t *testing.T) {
	t.Parallel()
	c := &counted{}
	s := &shelf{tools: []Tool{c.tool("refund"), c.tool("charge")}}
	m := newMind(t, calls("refund", `{"x":1}`, "charge", `{}`), calls("refund", `{"x":2}`), says("Done."))
	r := newRig(t, &LLM{Model: m.model(), Sources: []ToolSource{s}, Approve: tools.Approvals{Tools: []string{"charge"}}})
	r.say("go")
	equal(t, "before the answer", strings.Join(c.called(), " "), `refund{"x":1}`)
	s.tools = s.tools[:1] // no agent has a tool of the name any more
	r.answer(map[string]string{"approve/llm/0/1": `{"approved":true}`})
	equal(t, "in the same turn", strings.Join(c.called(), " "), `refund{"x":1} refund{"x":2}`)
	m.scripts = []script{calls("refund", `{"x":3}`), says("Done.")}
	r.say("again")
	equal(t, "in the next turn", len(c.called()), 2)
	equal(t, "questions", len(r.open), 1)
	s.tools = append(s.tools, c.tool("charge"))
	r.answer(map[string]string{"approve/llm/0/0": `{"approved":false}`})
	equal(t, "denied, when it would not ask any more", len(c.called()), 2)
}

// TestDestructiveToolsAsk unless the tool or the agent says otherwise.
func TestDestructiveToolsAsk(t *testing.T) {
	for name, tt := range map[string]struct {
		agent tools.Approvals
		tool  Tool
		want  bool
	}{
		"one that is not":             {tool: Tool{}, want: false},
		"by default":                  {tool: Tool{Destructive: true}, want: true},
		"the tool says never":         {tool: Tool{Destructive: true, Approve: tools.ApproveNever}, want: false},
		"the agent says never":        {agent: tools.Approvals{Never: true}, tool: Tool{Destructive: true}, want: false},
		"the agent names another":     {agent: tools.Approvals{Never: true, Tools: []string{"other"}}, tool: Tool{Destructive: true}, want: false},
		"the agent names it":          {agent: tools.Approvals{Never: true, Tools: []string{"x"}}, tool: Tool{Destructive: true}, want: true},
		"never, and the tool, always": {agent: tools.Approvals{Never: true}, tool: Tool{Destructive: true, Approve: tools.ApproveAlways}, want: true},
	} {
		tt.tool.Name = "x"
		equal(t, name, tt.tool.needsApproval(tt.agent), tt.want)
	}
}
