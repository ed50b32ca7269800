package groupchat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/state"
)

// Done is what a rule or a default names instead of a speaker to end the chat.
const Done = "done"

// A Rule lets Speaker speak when When holds.
type Rule struct {
	When    Condition
	Speaker string // or Done
}

// A Condition looks at the shared state.
type Condition func(s state.Reader) bool

// Missing holds while the value at pointer is not there or holds nothing: null, "", [] and {} are nothing.
func Missing(pointer string) Condition {
	return func(s state.Reader) bool {
		raw, ok := s.Raw(pointer)
		return !ok || !state.Filled(raw)
	}
}

// Present is the opposite of [Missing].
func Present(pointer string) Condition {
	missing := Missing(pointer)
	return func(s state.Reader) bool { return !missing(s) }
}

// ByState makes managers that choose by the first rule that holds, else by the default, which may be [Done]. A
// participant whose turn failed and was skipped in this run, or in whose turn a person called a question off, is not
// chosen again: what it was to bring will still be missing.
func ByState(otherwise string, rules ...Rule) func() Manager {
	return func() Manager { return byState{rules, otherwise} }
}

type byState struct {
	rules     []Rule
	otherwise string
}

func (m byState) Next(_ context.Context, v View) (Decision, error) {
	for _, r := range m.rules {
		if !v.passed(r.Speaker) && r.When(v.State) {
			return speak(r.Speaker), nil
		}
	}
	if v.passed(m.otherwise) {
		return Decision{Done: true}, nil
	}
	return speak(m.otherwise), nil
}

// passed reports whether asking the participant again would come to nothing.
func (v View) passed(name string) bool { return v.Failed[name]+v.Declined[name] > 0 }

func speak(name string) Decision { return Decision{Speaker: name, Done: name == Done} }

// Check wants a default, and every name to be a participant's that some rule can reach.
func (m byState) Check(participants []string) error {
	var errs []error
	if m.otherwise == "" {
		errs = append(errs, errors.New(`has no default; "done" ends the chat`))
	}
	targets := []string{m.otherwise}
	for i, r := range m.rules {
		if r.When == nil {
			errs = append(errs, fmt.Errorf("rule %d has no condition", i+1))
		}
		targets = append(targets, r.Speaker)
	}
	return errors.Join(append(errs, checkTargets(targets, participants)...)...)
}

// checkTargets wants each target to be a participant, and each participant to be a target.
func checkTargets(targets, participants []string) []error {
	var errs []error
	for _, t := range targets {
		if t != "" && t != Done && !slices.Contains(participants, t) {
			errs = append(errs, fmt.Errorf("names %q, who is not a participant", t))
		}
	}
	for _, p := range participants {
		if !slices.Contains(targets, p) {
			errs = append(errs, fmt.Errorf("never chooses participant %q", p))
		}
	}
	return errs
}

// RoundRobin makes managers that let everybody speak in turn until the chat's rounds are used up. Next is who follows the
// last speaker, wherever that is by now.
func RoundRobin() func() Manager { return func() Manager { return roundRobin{} } }

type roundRobin struct{}

func (roundRobin) Next(_ context.Context, v View) (Decision, error) {
	if len(v.Participants) == 0 {
		return Decision{Done: true}, nil
	}
	last := slices.IndexFunc(v.Participants, func(p Info) bool { return p.Name == v.LastSpeaker })
	return Decision{Speaker: v.Participants[(last+1)%len(v.Participants)].Name}, nil
}

// Sequential makes managers that let everybody speak once, in order. Next is the first who has not spoken in this run, so that
// nobody works twice if the order is another one after a pause.
func Sequential() func() Manager { return func() Manager { return sequential{} } }

type sequential struct{}

func (sequential) Next(_ context.Context, v View) (Decision, error) {
	for i, p := range v.Participants {
		if !v.spoke(i) {
			return Decision{Speaker: p.Name}, nil
		}
	}
	return Decision{Done: true}, nil
}

// spoke reports whether the ith participant has had a turn in this run.
func (v View) spoke(i int) bool {
	if v.turn == nil {
		return i < v.Round // nobody knows more
	}
	v.turn.x.mu.Lock()
	defer v.turn.x.mu.Unlock()
	_, spoke := v.turn.keys.Chat.Seen[v.Participants[i].Name]
	return spoke
}
