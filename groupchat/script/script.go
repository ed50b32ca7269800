package script

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// An Agent is a [groupchat.Agent] without a model: it takes its steps from top to bottom, in every turn anew and with empty
// answers. Texts and values may hold ${answers.KEY}: the answer to the question KEY, or what the tool KEY returned. A
// value that is nothing but one such reference becomes the JSON value itself; inside a text, strings stand for
// themselves, other values for their JSON, and null for nothing.
//
// A person who cancels a question ends the script: it says so in a short text and its turn is over, which is not an error.
type Agent struct {
	Description string
	Steps       []Step
}

// A Step does exactly one thing: the one that is set.
type Step struct {
	Say     string        // one message of the assistant's
	Ask     *Ask          // one question
	AskMany []Ask         // several at once
	Set     *Set          // a write to the state
	Tool    *Tool         // a call of a tool that the client runs
	Sleep   time.Duration // a wait
	Fail    *Fail         // the run's end
}

// An Ask is a question. With options the answer is one of them, without it is any value.
type Ask struct {
	Key     string
	Message string
	Options []any         // nil for any value
	TTL     time.Duration // 0: the server's default
}

// A Set writes Value to a JSON Pointer of the state.
type Set struct {
	Path  string
	Value any
}

// A Tool calls a frontend tool and waits for its result.
type Tool struct {
	Name      string
	Arguments any // nil is {}
}

// A Fail ends the run in RUN_ERROR. Code is the author's own, empty for agent_failed; Message, which clients are
// shown, may be empty for the code's own sentence.
type Fail struct {
	Code    string
	Message string
}

// cancelledText is what a script says when a person cancels a question.
const cancelledText = "All right, I leave it at that."

// Describe says whether the script asks.
func (s *Agent) Describe() groupchat.Info {
	info := groupchat.Info{Description: s.Description, Structure: groupchat.Structure{Kind: groupchat.KindScript}}
	for _, step := range s.Steps {
		info.Interrupts = info.Interrupts || step.Ask != nil || len(step.AskMany) > 0
		info.ClientTools = info.ClientTools || step.Tool != nil
	}
	return info
}

// Run takes the steps.
func (s *Agent) Run(_ context.Context, t *groupchat.Turn) error {
	return t.Exclusive(s, func() error { return s.run(t) })
}

func (s *Agent) run(t *groupchat.Turn) error {
	answers := answers{}
	for i, step := range s.Steps {
		over, err := step.take(t, "step/"+strconv.Itoa(i), answers)
		if _, waits := errors.AsType[*groupchat.Pause](err); waits {
			err = errors.Join(err, s.rememberSteps(t, i))
		}
		if over || err != nil {
			return err
		}
	}
	return nil
}

// take does the step, once per turn, and adds to answers what it learns. It reports whether the script is over.
func (s *Step) take(t *groupchat.Turn, key string, answers answers) (over bool, err error) {
	switch {
	case s.Ask != nil:
		return askAll(t, []Ask{*s.Ask}, answers)
	case len(s.AskMany) > 0:
		return askAll(t, s.AskMany, answers)
	case s.Set != nil:
		return false, oncePerTurn(t, key, func() error { return t.State().Set(s.Set.Path, answers.fill(s.Set.Value)) })
	case s.Tool != nil:
		content, err := t.CallTool(key, s.Tool.Name, answers.fill(s.Tool.Arguments))
		if err != nil {
			return false, err
		}
		text, err := json.Marshal(content.Text())
		answers[s.Tool.Name] = state.Canonical(text)
		return false, err
	case s.Sleep > 0:
		return false, oncePerTurn(t, key, func() error { return t.Sleep(s.Sleep) })
	case s.Fail != nil:
		return true, s.Fail.err(answers)
	default:
		return false, groupchat.Say(t, key, "%s", answers.text(s.Say))
	}
}

// oncePerTurn does f unless the turn remembers under key that it did.
func oncePerTurn(t *groupchat.Turn, key string, f func() error) error {
	if _, done := t.Recall(key); done {
		return nil
	}
	if err := f(); err != nil {
		return err
	}
	t.Remember(key, json.RawMessage("true"))
	return nil
}

// err is what the run ends with.
func (f *Fail) err(answers answers) error {
	code := errcode.Code(f.Code)
	if code == "" {
		code = errcode.AgentFailed
	}
	return &errcode.Error{Code: code, Text: answers.text(f.Message), Err: errFail}
}

var errFail = errors.New("script: a step fails the run")

// askAll asks the questions that are not answered yet.
func askAll(t *groupchat.Turn, asks []Ask, answers answers) (over bool, err error) {
	questions := make([]groupchat.Question, len(asks))
	for i, a := range asks {
		if questions[i], err = a.question(answers); err != nil {
			return false, err
		}
	}
	given, err := t.AskAll(questions...)
	if err != nil {
		return false, err
	}
	for i, a := range given {
		if a.Cancelled {
			return true, groupchat.Say(t, "called off", cancelledText)
		}
		answers[asks[i].Key] = bare(a.Payload)
	}
	return false, nil
}

func (a *Ask) question(answers answers) (groupchat.Question, error) {
	q := groupchat.Question{Key: a.Key, Message: answers.text(a.Message), TTL: a.TTL}
	value := map[string]any{}
	if a.Options != nil {
		options, _ := answers.fill(a.Options).([]any)
		q.Options, value["enum"] = options, options
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
