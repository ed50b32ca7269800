package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
)

// stepsKey is where a script that waits keeps which steps it has taken, the one that waits included.
const stepsKey = "script/steps"

// rememberSteps notes that the script waits in its ith step.
func (s *Agent) rememberSteps(t *groupchat.Turn, i int) error {
	raw, err := json.Marshal(s.forms(i + 1))
	if err != nil {
		return err
	}
	t.Remember(stepsKey, raw)
	return nil
}

// Kind names scripts in checkpoints.
func (s *Agent) Kind() string { return "script" }

// CanResume reports why the script cannot go on where it waited. What its steps have done is known by their place, so those up
// to there must be as they were, their texts and values aside.
func (s *Agent) CanResume(recall func(key string) (json.RawMessage, bool)) error {
	raw, ok := recall(stepsKey)
	if !ok {
		return nil
	}
	var taken []string
	if err := json.Unmarshal(raw, &taken); err != nil {
		return &errcode.Error{Code: errcode.CheckpointIncompatible, Err: fmt.Errorf("script: its steps in the checkpoint: %w", err)}
	}
	if now := s.forms(len(taken)); !slices.Equal(now, taken) {
		return &errcode.Error{Code: errcode.CheckpointIncompatible, Err: fmt.Errorf("script: it is another one up to where it waits: %s, and was %s",
			strings.Join(now, ", "), strings.Join(taken, ", "))}
	}
	return nil
}

// forms says what the first n steps do, one for each.
func (s *Agent) forms(n int) []string {
	list := []string{}
	for _, step := range s.Steps[:min(n, len(s.Steps))] {
		list = append(list, step.form())
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
	case s.Sleep > 0:
		return "sleep"
	case s.Fail != nil:
		return "fail"
	default:
		return "say"
	}
}
