package groupchat

import "context"

// A ManagerWrapper is a [Manager] around another one. What the manager inside can do besides choosing, as the
// interfaces below and [Filter], [Snapshotter] and [Checker] say, it can do too; what it implements itself comes first.
type ManagerWrapper interface {
	Manager
	// Unwrap returns the manager inside.
	Unwrap() Manager
}

// A HandoffManager is a [Manager] that lets speakers choose the next one, with [Turn.Goto]. A participant with a model
// has a tool for each of those to whom it may hand over.
type HandoffManager interface {
	Manager
	// Handoffs are those of participants to whom speaker may hand over. It is called by several goroutines at once,
	// also on a manager that has chosen nothing yet, and changes nothing.
	Handoffs(speaker string, participants []Info) []Info
}

// A Finisher is a [HandoffManager] with speakers that have to report the end: with true, models have a tool for [Done],
// called finish.
type Finisher interface {
	Finishes() bool
}

// A RoundLimiter is a [Manager] that says after how many turns its chat ends if the chat's MaxRounds does not.
type RoundLimiter interface {
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
	d, ok := managerAs[Describer](m)
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
