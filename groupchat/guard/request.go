package guard

import (
	"context"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// editMessages are messages with all texts edited, except instructions.
func editMessages(messages []model.Message, judge editorFunc) ([]model.Message, error) {
	edited := slices.Clone(messages)
	for i := range edited {
		m := &edited[i]
		if m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper {
			continue
		}
		var err error
		if m.Text, err = judge(m.Text); err != nil {
			return nil, err
		}
		if m.Reasoning, err = judge(m.Reasoning); err != nil {
			return nil, err
		}
		if m.Parts != nil {
			m.Parts = slices.Clone(m.Parts)
			for k := range m.Parts {
				if m.Parts[k].Text, err = judge(m.Parts[k].Text); err != nil {
					return nil, err
				}
			}
		}
		if m.Calls, err = editCalls(m.Calls, judge); err != nil {
			return nil, err
		}
	}
	return edited, nil
}

func editCalls(calls []model.Call, judge editorFunc) ([]model.Call, error) {
	if calls == nil {
		return nil, nil
	}
	edited := slices.Clone(calls)
	for i := range edited {
		var err error
		if edited[i].Arguments, err = editJSON(edited[i].Arguments, judge); err != nil {
			return nil, err
		}
	}
	return edited, nil
}

// A judgedText is a text of a model's that is judged while it comes.
type judgedText struct {
	editor editor
	on     func(string) error
	came   bool
	passed []byte
}

// delta returns the receiver of a model's pieces; nil without a listener.
func (j *judgedText) delta() func(string) error {
	if j.on == nil {
		return nil
	}
	return func(piece string) error {
		j.came = true
		return j.push(piece, false)
	}
}

func (j *judgedText) push(piece string, last bool) error {
	goesOn, err := j.editor.push(piece, last)
	if err != nil || goesOn == "" {
		return err
	}
	j.passed = append(j.passed, goesOn...)
	if !j.came || j.on == nil {
		return nil
	}
	return j.on(goesOn)
}

// end returns the text that passed: of the pieces, or without pieces of the whole.
func (j *judgedText) end(whole string) (string, error) {
	if j.came {
		whole = ""
	}
	err := j.push(whole, true)
	return string(j.passed), err
}

// judgedReply makes a call and judges its reply, words and reasoning while they come.
func judgedReply(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc,
	rules []*Rule) (model.Reply, error) {
	words := &judgedText{editor: editorOf(c.Turn, rules), on: c.On.Text}
	thought := &judgedText{editor: editorOf(c.Turn, rules), on: c.On.Reasoning}
	c.On = model.Deltas{Text: words.delta(), Reasoning: thought.delta()} // calls are handed on when they are complete
	reply, err := next(ctx, c)
	if err != nil {
		return reply, err
	}
	if reply.Reasoning, err = thought.end(reply.Reasoning); err != nil {
		return reply, err
	}
	said, err := words.end(reply.Words())
	if err != nil {
		return reply, err
	}
	if reply.Text != "" || reply.Refusal == "" {
		reply.Text, reply.Refusal = said, ""
	} else {
		reply.Refusal = said
	}
	reply.Calls, err = editCalls(reply.Calls, edit(ctx, c.Turn, rules))
	return reply, err
}

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
