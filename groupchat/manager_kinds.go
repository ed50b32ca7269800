package groupchat

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/choice"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// A ManagerWrapper is a [Manager] around another one. What the manager inside can do besides choosing, as the
// interfaces below and [Filter], [Snapshotter] and [Checker] say, it can do too; what it implements itself comes first.
type ManagerWrapper interface {
	Manager
	// Unwrap returns the manager inside.
	Unwrap() Manager
}

// A HandoffManager is a [Manager] that lets speakers choose the next one, with [Turn.Goto]. A participant with a model
// has a tool for each of those to whom it may hand over. With a method Finishes() bool that returns true, speakers have
// to report the end: models have a tool for [Done], called finish. With a method MaxRounds() int, it says after how
// many turns its chat ends if the chat's MaxRounds does not.
type HandoffManager interface {
	Manager
	// Handoffs are those of participants to whom speaker may hand over. It is called by several goroutines at once,
	// also on a manager that has chosen nothing yet, and changes nothing.
	Handoffs(speaker string, participants []profile.Info) []profile.Info
}

// A finisher is a [HandoffManager] with speakers that have to report the end.
type finisher interface {
	Finishes() bool
}

// A roundLimiter is a [Manager] that says after how many turns its chat ends if the chat's MaxRounds does not.
type roundLimiter interface {
	MaxRounds() int
}

// A Kinded is a [Manager] with a name for its kind, such as "rules": people see it, and a turn that waits is not gone
// on with under a manager of another kind. The kind of managers without one is "custom".
type Kinded interface {
	Kind() string
}

// A SpeakingManager is a [Manager] that takes turns itself: when it decides that [View.Supervisor] speaks next, the
// turn is its own. In it, unlike in [Decision.Act], it may ask people and wait, and it counts as a round. The last
// speaker stays who it was, and what the supervisor says is no participant's last words. If the manager is a
// [Snapshotter], what it remembers is kept when the turn has ended, too.
type SpeakingManager interface {
	Manager
	// Speak takes the turn. It is called again for the same turn after a pause, on a manager that has been restored.
	Speak(ctx context.Context, t *Turn) error
}

// managerAs returns m, or the first manager inside it that is a T.
func managerAs[T any](m Manager) (T, bool) {
	for range maxWrappers {
		if found, ok := m.(T); ok {
			return found, true
		}
		w, ok := m.(ManagerWrapper)
		if !ok {
			break
		}
		m = w.Unwrap()
	}
	var none T
	return none, false
}

// A speakingSupervisor is a manager as the agent that takes its turns.
type speakingSupervisor struct{ SpeakingManager }

// Run takes a turn of the manager's own.
func (s speakingSupervisor) Run(ctx context.Context, t *Turn) error { return s.Speak(ctx, t) }

// supervisorTurn is m as a participant of the name, if it takes turns itself.
func supervisorTurn(m Manager, name string) *Participant {
	s, ok := managerAs[SpeakingManager](m)
	if !ok {
		return nil
	}
	return &Participant{Name: name, Description: "Leads the others", Agent: speakingSupervisor{s}}
}

// asks reports whether the manager may ask people in its own turns.
func asks(m Manager) bool {
	if _, ok := managerAs[SpeakingManager](m); !ok {
		return false
	}
	d, ok := managerAs[profile.Describer](m)
	return !ok || d.Describe().Interrupts
}

// Kind is part of [Kinded].
func (rules) Kind() string { return "rules" }

// Kind is part of [Kinded].
func (route) Kind() string { return "route" }

// Kind is part of [Kinded].
func (handoff) Kind() string { return "handoff" }

// Kind is part of [Kinded].
func (roundRobin) Kind() string { return "round_robin" }

// Kind is part of [Kinded].
func (sequential) Kind() string { return "sequential" }

// Kind is part of [Kinded].
func (*llmManager) Kind() string { return "llm" }

// A Destination is the speaker that a route chooses, and the instruction of that speaker.
type Destination struct {
	Speaker string // or Done
	// Instruction is for the speaker and this turn only. InstructionOf, if set, computes it from what the manager sees.
	Instruction   string
	InstructionOf func(View) string
}

// Route makes managers that let one participant speak: the one that routes has for the text at pointer, by
// the same normalised lookup for keys and values (white space around, letter case aside), else otherwise.
// Without a default, a text without a destination is the error no_route.
func Route(pointer string, routes map[string]string, otherwise string) func() Manager {
	destinations := make(map[string]Destination, len(routes))
	for key, speaker := range routes {
		destinations[key] = Destination{Speaker: speaker}
	}
	return RouteTo(pointer, destinations, Destination{Speaker: otherwise})
}

// RouteTo is [Route] with an instruction per route.
func RouteTo(pointer string, routes map[string]Destination, otherwise Destination) func() Manager {
	return func() Manager { return route{pointer, routes, otherwise} }
}

type route struct {
	pointer   string
	routes    map[string]Destination
	otherwise Destination
}

func (m route) Next(_ context.Context, v View) (Decision, error) {
	if v.Round > 0 {
		return Decision{Done: true}, nil
	}
	var key string
	if _, err := v.State.Get(m.pointer, &key); err == nil {
		for k, to := range m.routes {
			if choice.Normal(k) == choice.Normal(key) {
				return to.decision(v), nil
			}
		}
	}
	if m.otherwise.Speaker == "" {
		return Decision{}, fail(errcode.NoRoute, "no route for the value at %s", m.pointer)
	}
	return m.otherwise.decision(v), nil
}

func (d Destination) decision(v View) Decision {
	decision := speak(d.Speaker)
	decision.Instruction = d.Instruction
	if d.InstructionOf != nil {
		decision.Instruction = d.InstructionOf(v)
	}
	return decision
}

// Check reports unknown targets, and keys that are the same after normalisation.
func (m route) Check(participants []string) error {
	var errs []error
	targets := []string{m.otherwise.Speaker}
	seen := map[string]string{}
	for k, to := range m.routes {
		if to.Speaker == "" {
			errs = append(errs, fmt.Errorf("route %q leads nowhere", k))
		}
		targets = append(targets, to.Speaker)
		if other, ok := seen[choice.Normal(k)]; ok {
			errs = append(errs, fmt.Errorf("routes %q and %q are the same key", min(k, other), max(k, other)))
		}
		seen[choice.Normal(k)] = k
	}
	return errors.Join(append(errs, checkTargets(targets, participants)...)...)
}
