package script

import (
	"context"
	"errors"
	"time"

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

// A Step does exactly one thing: the one that is set.
type Step struct {
	Say     string        // one message of the assistant's
	Ask     *Ask          // one question
	AskMany []Ask         // several at once
	Set     *Set          // a write to the state
	Tool    *Tool         // a call of a tool that the client runs
	Call    *Call         // a turn of another agent's
	Sleep   time.Duration // a wait
	Fail    *Fail         // the run's end, or a failed call in a tool
	When    *When         // a choice between steps
	Each    *Each         // steps for each element of a list
}

// An Ask is a question. With options the answer is one of them, with a schema what matches it, else any value.
type Ask struct {
	Key     string
	Message string
	Options []any // nil for any value
	// Value has more members of the card, for pages that know them: see [groupchat.Question.Value]. It is an object, or
	// nothing.
	Value any
	// Schema is the JSON Schema of the answer, which then is the answer as it comes and not its member value. Without
	// Options.
	Schema any
	TTL    time.Duration // 0: the server's default
}

// A Set writes Value to a JSON Pointer of the state. Members of the pointer may have references.
type Set struct {
	Path  string
	Value any
	// Merge writes the members of an object, and leaves those that are there and that Value does not have.
	Merge bool
}

// A Tool calls a frontend tool and waits for its result.
type Tool struct {
	Name      string
	Arguments any // nil is {}
}

// A Call lets another agent take a turn, as one of a team would. Its last words are the answer under its name.
type Call struct {
	Name  string
	Agent groupchat.Agent `json:"-"`
	// Query is what the agent is asked, as a message of the user's. It sees the conversation as well.
	Query string
}

// A Fail ends the run with RUN_ERROR. Code is any code of the author, empty for agent_failed; Message is for clients,
// empty for the code's sentence. In a tool it fails the call, and the model gets the message.
type Fail struct {
	Code    string
	Message string
}

// A When takes Then or Else, either of which may be empty. It decides by If, or, if If is nil, by whether Value is
// Equals. The decision holds for the turn, pauses included.
type When struct {
	If     groupchat.Condition `json:"-"` // of the current state and conversation
	Value  any                 // a reference, such as ${answers.size}
	Equals any
	Then   []Step
	Else   []Step
}

// An Each takes Do for each element of In: a list, or a reference to one. In Do, ${each.item} is the element,
// ${each.item.name} a member of it, and ${each.index} its place from 0. A question's key in Do gets its place added, as
// in "size/0".
type Each struct {
	In any
	Do []Step
}

// The bounds of a script.
const (
	maxDepth = 8    // of When and Each within each other
	maxSteps = 1000 // that one turn takes
)
