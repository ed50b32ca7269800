package groupchattest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// Describe writes the events of a run for people, as golden conversations have them: a line for what each speaker says
// or calls, for each change of the state, for what people are asked, and for how the run ends. Ids are left out. Who
// speaks without a name is the agent.
func Describe(events []agui.Event) string { return describe(events, map[string]*called{}) }

// describe is Describe with the calls of earlier runs, to which it adds.
func describe(events []agui.Event, calls map[string]*called) string {
	d := &description{texts: map[string]*said{}, calls: calls}
	for _, e := range events {
		d.event(e)
	}
	return d.String()
}

type description struct {
	strings.Builder
	texts map[string]*said
	calls map[string]*called
}

type said struct {
	name string
	text strings.Builder
}

type called struct {
	name      string
	arguments strings.Builder
}

func (d *description) line(format string, args ...any) {
	d.WriteString(fmt.Sprintf(format, args...) + "\n")
}

func (d *description) event(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		d.texts[e.MessageID] = &said{name: cmp.Or(e.Name, "agent")}
	case *agui.TextMessageContent:
		d.texts[e.MessageID].text.WriteString(e.Delta)
	case *agui.TextMessageEnd:
		m := d.texts[e.MessageID]
		d.line("%s: %s", m.name, strings.ReplaceAll(m.text.String(), "\n", "\n  "))
	case *agui.ToolCallStart:
		d.calls[e.ToolCallID] = &called{name: e.ToolCallName}
	case *agui.ToolCallArgs:
		d.calls[e.ToolCallID].arguments.WriteString(e.Delta)
	case *agui.ToolCallEnd:
		c := d.calls[e.ToolCallID]
		d.line("calls %s %s", c.name, c.arguments.String())
	case *agui.ToolCallResult:
		name := "a tool"
		if c := d.calls[e.ToolCallID]; c != nil {
			name = c.name
		}
		d.line("%s returns %s", name, e.Content.Text())
	case *agui.StateDelta:
		for _, op := range e.Delta {
			d.line("%s", strings.TrimSpace("state "+op.Op+" "+op.Path+" "+string(op.Value)))
		}
	case *agui.SubagentError:
		d.line("a turn fails: %s", e.Code)
	case *agui.RunError:
		d.line("fails: %s", e.Code)
	case *agui.RunFinished:
		d.outcome(e.Outcome)
	}
}

func (d *description) outcome(o *agui.Outcome) {
	if o == nil {
		d.line("ends")
		return
	}
	for _, i := range o.Interrupts {
		var where struct{ Key string }
		var card struct {
			Options json.RawMessage
			Agent   string
		}
		_ = json.Unmarshal(i.Metadata["groupchat"], &where) // missing values are not described
		_ = json.Unmarshal(i.Metadata["value"], &card)
		if c := d.calls[i.ToolCallID]; c != nil {
			where.Key = c.name
		}
		d.line("%s", strings.TrimSpace(fmt.Sprintf("%s asks %s: %q %s", cmp.Or(card.Agent, "agent"), where.Key,
			i.Message, card.Options)))
	}
	d.line("ends: %s", o.Type)
}
