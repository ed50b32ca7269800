package groupchat

import "context"

// A Wrapper is an [Agent] that takes its turns with another one, in the same turn, and changes what happens around it.
// Everything that is known of the agent inside holds for the wrapper: its description, its team and their names, which
// headers are forwarded, how it uses the shared state, its suggestions, the needs of a checkpoint, and its mistakes. A
// checkpoint with a wrapper continues without it, and the other way round.
type Wrapper interface {
	Agent
	// Unwrap returns the agent inside. It returns the same one each time.
	Unwrap() Agent
}

// Wrap returns agent with another Run, as a [Wrapper]. Run usually calls agent.Run.
func Wrap(agent Agent, run func(ctx context.Context, t *Turn) error) Agent {
	return &wrapping{run, agent}
}

type wrapping struct {
	run   AgentFunc
	agent Agent
}

func (w *wrapping) Run(ctx context.Context, t *Turn) error { return w.run(ctx, t) }

func (w *wrapping) Unwrap() Agent { return w.agent }

func (w *wrapping) check(bad func(format string, args ...any)) {
	if w.run == nil {
		bad("is wrapped in no function")
	}
	if isNil(w.agent) {
		bad("wraps no agent")
	}
}

// As returns agent, or the first of the agents inside it (see [Wrapper]) that is a T, and whether there is one.
func As[T any](agent Agent) (T, bool) {
	for range maxWrappers {
		if isNil(agent) {
			break
		}
		if found, ok := agent.(T); ok {
			return found, true
		}
		w, ok := agent.(Wrapper)
		if !ok {
			break
		}
		agent = w.Unwrap()
	}
	var none T
	return none, false
}

// maxWrappers is how many wrappers an agent, or a manager, may have around it.
const maxWrappers = 64

// unwrap returns the agent inside all wrappers; nil if there is none.
func unwrap(a Agent) Agent {
	for range maxWrappers {
		w, ok := a.(Wrapper)
		if !ok || isNil(a) {
			return a
		}
		a = w.Unwrap()
	}
	return nil
}

// wrappersOf are the wrappers of a, the outermost first. One too many is a mistake that validateAgent reports.
func wrappersOf(a Agent) []Wrapper {
	var list []Wrapper
	for len(list) <= maxWrappers {
		w, ok := a.(Wrapper)
		if !ok || isNil(a) {
			break
		}
		list = append(list, w)
		a = w.Unwrap()
	}
	return list
}
