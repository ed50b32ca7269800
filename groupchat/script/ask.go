package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// cancelledText is what a script says when a person cancels a question.
const cancelledText = "All right, I leave it at that."

// errCancelled ends a script after a cancelled question.
type errCancelled struct{}

func (errCancelled) Error() string { return "script: a question was cancelled" }

// ask asks the questions that are not answered yet.
func (w *walk) ask(asks []Ask, at place, v values) (over bool, err error) {
	questions := make([]groupchat.Question, len(asks))
	for i, a := range asks {
		if questions[i], err = a.question(at, v); err != nil {
			return false, err
		}
	}
	given, err := w.t.AskAll(questions...)
	if err != nil {
		return false, err
	}
	for i, a := range given {
		if a.Cancelled {
			return true, errCancelled{}
		}
		w.last = a.Payload
		if asks[i].Schema == nil {
			w.last = bare(a.Payload)
		}
		v.learn(asks[i].Key, w.last)
	}
	return false, nil
}

func (a *Ask) question(at place, v values) (groupchat.Question, error) {
	q := groupchat.Question{Key: a.Key + at.items, Message: v.text(a.Message), TTL: a.TTL, Value: v.fill(a.Value)}
	if a.Schema != nil {
		schema, err := json.Marshal(a.Schema)
		q.Schema = schema
		return q, err
	}
	value := map[string]any{}
	switch options := v.fill(a.Options).(type) {
	case []any:
		if a.Options != nil {
			q.Options, value["enum"] = options, options
		}
	default:
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"value"}, "properties": map[string]any{"value": value},
	})
	q.Schema = schema
	return q, err
}

// bare is X of an answer {value: X}, or of X itself.
func bare(payload json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(payload, &object) == nil {
		if value, ok := object["value"]; ok {
			return value
		}
	}
	return payload
}

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

// stepsKey is where a script that waits keeps which steps it has taken, the one that waits included.
const stepsKey = "script/steps"

// rememberSteps notes which steps were taken before the script waits, the one that waits included.
func rememberSteps(t *groupchat.Turn, taken []Step) error {
	raw, err := json.Marshal(forms(taken))
	if err != nil {
		return err
	}
	t.Remember(stepsKey, raw)
	return nil
}

// Kind names scripts in checkpoints.
func (s *Agent) Kind() string { return "script" }

// CanResume reports why the script cannot continue where it waited. Results of its steps are known by their place, so
// the steps up to there must be the same, except texts and values.
func (s *Agent) CanResume(recall func(key string) (json.RawMessage, bool)) error {
	return canResume(s.Steps, recall)
}

// canResume reports why steps cannot continue where they waited.
func canResume(steps []Step, recall func(key string) (json.RawMessage, bool)) error {
	raw, ok := recall(stepsKey)
	if !ok {
		return nil
	}
	var taken []string
	if err := json.Unmarshal(raw, &taken); err != nil {
		return &errcode.Error{Code: errcode.CheckpointIncompatible,
			Err: fmt.Errorf("script: its steps in the checkpoint: %w", err)}
	}
	if now := forms(steps[:min(len(taken), len(steps))]); !slices.Equal(now, taken) {
		return &errcode.Error{Code: errcode.CheckpointIncompatible,
			Err: fmt.Errorf("script: it is another one up to where it waits: %s, and was %s",
				strings.Join(now, ", "), strings.Join(taken, ", "))}
	}
	return nil
}

func forms(steps []Step) []string {
	list := []string{}
	for i := range steps {
		list = append(list, steps[i].form())
	}
	return list
}

func (s *Step) form() string {
	switch {
	case s.Ask != nil:
		return "ask " + s.Ask.Key
	case len(s.AskMany) > 0:
		form := "ask"
		for _, a := range s.AskMany {
			form += " " + a.Key
		}
		return form
	case s.Set != nil:
		return "set"
	case s.Tool != nil:
		return "tool " + s.Tool.Name
	case s.Call != nil:
		return "call " + s.Call.Name
	case s.Sleep > 0:
		return "sleep"
	case s.Fail != nil:
		return "fail"
	case s.When != nil:
		return "when (" + strings.Join(forms(s.When.Then), ", ") + ") else (" + strings.Join(forms(s.When.Else), ", ") +
			")"
	case s.Each != nil:
		return "each (" + strings.Join(forms(s.Each.Do), ", ") + ")"
	default:
		return "say"
	}
}
