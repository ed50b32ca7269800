package script

import (
	"context"
	"errors"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// An Agent is a [groupchat.Agent] without a model: it takes its steps from top to bottom, in every turn anew and with
// empty answers. Texts and values may hold ${answers.KEY}: the answer to the question KEY, what the tool KEY returned,
// or what the agent KEY said. A value that is nothing but one such reference becomes the JSON value itself; inside a
// text, strings stand for themselves, other values for their JSON, and null for nothing.
//
// A person who cancels a question ends the script: it says so in a short text and its turn is over, which is not an
// error. A turn takes 1,000 steps at most, those in lists counted for each element; more fail it.
type Agent struct {
	Description string
	Steps       []Step
}

// Describe says whether the script asks.
func (s *Agent) Describe() profile.Info {
	info := profile.Info{Description: s.Description, Structure: profile.Structure{Kind: profile.KindScript}}
	for step := range all(s.Steps) {
		info.Interrupts = info.Interrupts || step.Ask != nil || len(step.AskMany) > 0
		info.ClientTools = info.ClientTools || step.Tool != nil
		if d, ok := agentOf(step).(profile.Describer); ok {
			called := d.Describe()
			info.Interrupts, info.ClientTools = info.Interrupts || called.Interrupts,
				info.ClientTools || called.ClientTools
		}
	}
	return info
}

// agentOf is the agent that a step calls, or nil.
func agentOf(s *Step) groupchat.Agent {
	if s.Call == nil {
		return nil
	}
	return s.Call.Agent
}

func all(steps []Step) func(yield func(*Step) bool) {
	return func(yield func(*Step) bool) { visit(steps, yield) }
}

func visit(steps []Step, yield func(*Step) bool) bool {
	for i := range steps {
		s := &steps[i]
		if !yield(s) {
			return false
		}
		if s.When != nil && (!visit(s.When.Then, yield) || !visit(s.When.Else, yield)) {
			return false
		}
		if s.Each != nil && !visit(s.Each.Do, yield) {
			return false
		}
	}
	return true
}

// Run takes the steps.
func (s *Agent) Run(_ context.Context, t *groupchat.Turn) error {
	return t.Exclusive(s, func() error { return s.run(t) })
}

func (s *Agent) run(t *groupchat.Turn) error {
	w, known := &walk{t: t, turns: map[string]int{}}, values{}
	known.learn("", nil)
	for i := range s.Steps {
		if w.taken++; w.taken > maxSteps {
			return errTooLong
		}
		over, err := w.take(&s.Steps[i], top.step(i), known)
		if _, waits := errors.AsType[*ask.Pause](err); waits {
			err = errors.Join(err, rememberSteps(t, s.Steps[:i+1]))
		}
		if _, cancelled := errors.AsType[errCancelled](err); cancelled {
			return groupchat.SayOnce(t, "called off", cancelledText)
		}
		if over || err != nil {
			return err
		}
	}
	return nil
}
