package guard

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
)

// filterShown is what the events of t pass on their way to people.
func (g *rails) filterShown(t *groupchat.Turn) run.Filter {
	rules := g.on(Output)
	judge := edit(t.Context(), t, rules)
	words := newTexts(func(Kind, string) editor { return editorOf(t, rules) })
	calls := map[string]*heldCall{}
	return func(e agui.Event, next run.Emit) error {
		var err error
		switch e := e.(type) {
		case *agui.ToolCallStart:
			calls[e.ToolCallID] = &heldCall{}
		case *agui.ToolCallArgs:
			if c := calls[e.ToolCallID]; c != nil {
				return c.hold(e)
			}
		case *agui.ToolCallEnd:
			c := calls[e.ToolCallID]
			delete(calls, e.ToolCallID)
			if err := c.pass(judge, next); err != nil {
				return err
			}
		case *agui.ToolCallResult:
			e.Content, err = editContent(e.Content, judge)
		case *agui.Custom:
			e.Value, err = editRaw(e.Value, judge)
		case *agui.Raw:
			e.Event, err = editRaw(e.Event, judge)
		case *agui.ActivitySnapshot:
			e.Content, err = editRaw(e.Content, judge)
		case *agui.ActivityDelta:
			e.Patch = slices.Clone(e.Patch)
			for i := range e.Patch {
				if e.Patch[i].Value, err = editRaw(e.Patch[i].Value, judge); err != nil {
					return err
				}
			}
		default:
			return words.filter(e, next)
		}
		if err != nil {
			return err
		}
		agui.BaseOf(e).RawEvent = nil // which has the words as they were
		return next(e)
	}
}

// A heldCall holds back the arguments of a call until they are complete: half a JSON document cannot be judged.
type heldCall struct {
	first *agui.ToolCallArgs
	text  []byte
}

func (c *heldCall) hold(e *agui.ToolCallArgs) error {
	if c.first == nil {
		c.first = e
	}
	if c.text = append(c.text, e.Delta...); len(c.text) > MaxHeld {
		return tooMuchHeld()
	}
	return nil
}

// pass sends the held events.
func (c *heldCall) pass(judge editorFunc, next run.Emit) error {
	if c == nil || c.first == nil {
		return nil
	}
	text, err := editJSON(string(c.text), judge)
	if err != nil || text == "" {
		return err
	}
	c.first.Delta, c.first.RawEvent = text, nil
	return next(c.first)
}
