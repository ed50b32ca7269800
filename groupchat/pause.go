package groupchat

import (
	"errors"
	"fmt"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Pause is the error a turn ends with when it waits for an answer. It carries the questions up through
// every chat it is nested in; several join when several participants wait at once.
type Pause struct {
	Interrupts []Interrupt
	// Calls are the frontend calls that wait for their results.
	Calls []state.Call
}

// An Interrupt is a question on its way to the wire.
type Interrupt struct {
	agui.Interrupt
	TTL time.Duration // zero: the server's default
}

// Error says what is waited for, without what was asked.
func (p *Pause) Error() string {
	return fmt.Sprintf("groupchat: paused for %d answers and %d frontend calls", len(p.Interrupts), len(p.Calls))
}

// joinPauses adds up pauses; nil if there are none.
func joinPauses(pauses ...*Pause) *Pause {
	var all *Pause
	for _, p := range pauses {
		if p == nil {
			continue
		}
		if all == nil {
			all = &Pause{}
		}
		all.Interrupts = append(all.Interrupts, p.Interrupts...)
		all.Calls = append(all.Calls, p.Calls...)
	}
	return all
}

// pauseOf returns the pause err is, or nil.
func pauseOf(err error) *Pause {
	var p *Pause
	if errors.As(err, &p) {
		return p
	}
	return nil
}

// fail is an error of this package with the code its run ends with.
func fail(code agui.Code, format string, args ...any) error {
	return &agui.Error{Code: code, Err: fmt.Errorf("groupchat: "+format, args...)}
}
