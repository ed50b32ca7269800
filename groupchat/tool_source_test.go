package groupchat

import (
	"context"
	"encoding/json"
	"testing"
)

// A shelf is a source whose tools a test puts there.
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

// TestToolsOfASource are those there are when a turn is entered; a source that is away stops nobody.
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

// TestAToolOfASourceThatIsGone lets a call wait for approval and its tool go meanwhile: the model is told.
func TestAToolOfASourceThatIsGone(t *testing.T) {
	t.Parallel()
	c := &counted{}
	s := &shelf{tools: []Tool{c.tool("f")}}
	agent := &LLM{Sources: []ToolSource{s}, Approve: Approvals{All: true}}
	equal(t, "asks", agent.Describe().Interrupts, true)
	m := newMind(t, calls("f", `{"x":1}`), says("Pity."))
	agent.Model = m.model()
	r := newRig(t, agent)
	r.say("go")
	s.tools = nil
	equal(t, "stream", r.answer(map[string]string{"approve/llm/0/0": `{"approved":true}`}).shape(), "result There is no such tool. Pity.")
	equal(t, "called", len(c.called()), 0)
}
