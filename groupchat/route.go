package groupchat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/agui-gateway/gateway/errcode"
)

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
			if normal(k) == normal(key) {
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
		if other, ok := seen[normal(k)]; ok {
			errs = append(errs, fmt.Errorf("routes %q and %q are the same key", min(k, other), max(k, other)))
		}
		seen[normal(k)] = k
	}
	return errors.Join(append(errs, checkTargets(targets, participants)...)...)
}

// normal is the spelling in which keys are compared: trimmed, and every letter replaced by the first of those that
// differ from it by case only.
func normal(key string) string {
	return strings.Map(func(r rune) rune {
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return first
	}, strings.TrimSpace(key))
}
