package script

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// ToolOptions describe a tool that is a script.
type ToolOptions struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments, an object; nil takes none.
	Parameters json.RawMessage
	// Steps are taken for each call, in the turn of the agent that calls. Besides answers they know ${arguments.NAME},
	// and members of that as ${arguments.NAME.member}.
	Steps []Step
	// Result is the result for the model after the steps, with references filled in: a text, or JSON. Nil is the last
	// answer, or "done" if there is none.
	Result any
}

// NewTool returns a tool that takes steps. A step with [Fail] fails the call, and the model gets the message; a
// cancelled question ends the call, and the model gets that as the result. Effects of steps happen once, over pauses
// and takeovers.
func NewTool(o ToolOptions) groupchat.Tool {
	return groupchat.Tool{Name: o.Name, Description: o.Description, Parameters: o.Parameters, Turn: o.call}
}

// cancelledResult is the result of a call after a cancelled question.
const cancelledResult = "The person called the question off."

func (o *ToolOptions) call(_ context.Context, t *groupchat.Turn, c groupchat.ToolCall) (tools.Result, error) {
	w, known := &walk{t: t, turns: map[string]int{}}, values{}
	known.learn("", nil)
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
		return tools.Result{}, err // they matched the schema of an object before
	}
	known[rootArguments] = arguments
	err := t.Exclusive(&Agent{Steps: o.Steps}, func() error {
		_, err := w.steps(o.Steps, top, known)
		if _, waits := errors.AsType[*ask.Pause](err); waits {
			return errors.Join(err, rememberSteps(t, o.Steps))
		}
		return err
	})
	if _, cancelled := errors.AsType[errCancelled](err); cancelled {
		return tools.Text(cancelledResult), nil
	}
	if failed, ok := errors.AsType[*errcode.Error](err); ok && errors.Is(err, errFail) {
		return tools.Result{}, &tools.Error{Text: failed.Public(), Err: err}
	}
	if err != nil {
		return tools.Result{}, err
	}
	return o.result(w, known), nil
}

func (o *ToolOptions) result(w *walk, known values) tools.Result {
	raw := w.last
	switch {
	case o.Result != nil:
		raw = known.raw(o.Result)
	case raw == nil:
		return tools.Text("done")
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return tools.Text(text)
	}
	return tools.Text(string(raw))
}
