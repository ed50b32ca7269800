package groupchat

import (
	"fmt"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Pause is the error a turn ends with when it waits for an answer. It carries the questions up through
// every chat it is nested in; several join when several participants wait at once. It may be wrapped, and joined
// with others by [errors.Join]; joined with a failure it is one.
type Pause struct {
	Interrupts []Interrupt
	// Calls are the frontend calls that wait for their results.
	Calls []state.Call
}

// An Interrupt is a question on its way to the wire.
type Interrupt struct {
	agui.Interrupt
	TTL time.Duration // zero: the server's default
	// Until is when it ends at the latest, whatever TTL says; zero: at no time of its own.
	Until time.Time
}

// Error says what is waited for, without what was asked.
func (p *Pause) Error() string {
	return fmt.Sprintf("groupchat: paused for %d answers and %d frontend calls", len(p.Interrupts), len(p.Calls))
}

// joinPauses adds up pauses, each question and call once; nil if there are none.
func joinPauses(pauses ...*Pause) *Pause {
	var all *Pause
	for _, p := range pauses {
		if p == nil {
			continue
		}
		if all == nil {
			all = &Pause{}
		}
		for _, i := range p.Interrupts {
			if !slices.ContainsFunc(all.Interrupts, func(o Interrupt) bool { return o.ID == i.ID }) {
				all.Interrupts = append(all.Interrupts, i)
			}
		}
		for _, c := range p.Calls {
			if !slices.ContainsFunc(all.Calls, func(o state.Call) bool { return o.ID == c.ID }) {
				all.Calls = append(all.Calls, c)
			}
		}
	}
	return all
}

// includes reports whether p waits for all that other waits for.
func (p *Pause) includes(other *Pause) bool {
	all := joinPauses(p, other)
	return p != nil && len(all.Interrupts) == len(p.Interrupts) && len(all.Calls) == len(p.Calls)
}

// pauseOf returns what err waits for, all of it, or nil if it is no pause.
func pauseOf(err error) *Pause {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here, because errors.As finds one pause only
	case *Pause:
		return e
	case interface{ Unwrap() error }:
		return pauseOf(e.Unwrap())
	case interface{ Unwrap() []error }:
		var pauses []*Pause
		for _, inner := range e.Unwrap() {
			p := pauseOf(inner)
			if p == nil {
				return nil // a failure among pauses is a failure
			}
			pauses = append(pauses, p)
		}
		return joinPauses(pauses...)
	default:
		return nil
	}
}
