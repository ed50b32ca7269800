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
