package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// An Answer is a person's answer to a question.
type Answer struct {
	// Cancelled says that the person cancelled the question; there is no payload.
	Cancelled bool
	// Payload is canonical JSON.
	Payload json.RawMessage
}

// Decode reads the payload into v. It returns [ErrCancelled] if there is none because the question was cancelled.
func (a Answer) Decode(v any) error {
	if a.Cancelled {
		return ErrCancelled
	}
	if err := exact.Unmarshal(a.Payload, v); err != nil {
		return fmt.Errorf("groupchat: answer: %w", err)
	}
	return nil
}

// ErrCancelled replaces the answer to a question that a person cancelled. A turn that returns it has
// ended, without what it asked for, and has not failed.
var ErrCancelled = errors.New("groupchat: the question was cancelled")

// An Interrupt is a question as clients receive it, with its time limit.
type Interrupt struct {
	agui.Interrupt
	TTL time.Duration // zero: the server's default
	// Until is when it ends at the latest, whatever TTL says; zero: no such limit.
	Until time.Time
}

// A Pause is the error a turn ends with when it waits for an answer. It carries the questions up through every chat it
// is nested in; several join when several participants wait at once. It may be wrapped, and joined with others by
// [errors.Join]; joined with a failure it is a failure.
type Pause struct {
	Interrupts []Interrupt
	// Calls are the frontend calls that wait for their results.
	Calls []state.Call
}

// Error lists the kinds of open questions, without their texts.
func (p *Pause) Error() string {
	return fmt.Sprintf("groupchat: paused for %d answers and %d frontend calls", len(p.Interrupts), len(p.Calls))
}

// Includes reports whether p waits for all that other waits for.
func (p *Pause) Includes(other *Pause) bool {
	all := Join(p, other)
	return p != nil && len(all.Interrupts) == len(p.Interrupts) && len(all.Calls) == len(p.Calls)
}

// Join adds up pauses, each question and call once; nil if there are none.
func Join(pauses ...*Pause) *Pause {
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

// PauseOf returns all that err waits for, or nil if it is no pause.
func PauseOf(err error) *Pause {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here, because errors.As finds one pause only
	case *Pause:
		return e
	case interface{ Unwrap() error }:
		return PauseOf(e.Unwrap())
	case interface{ Unwrap() []error }:
		var pauses []*Pause
		for _, inner := range e.Unwrap() {
			p := PauseOf(inner)
			if p == nil {
				return nil // a failure among pauses is a failure
			}
			pauses = append(pauses, p)
		}
		return Join(pauses...)
	default:
		return nil
	}
}

// MaxCard is the limit of the value of a question, in bytes of JSON: each reader of the thread receives it.
const MaxCard = 256 << 10

// cardNames are the reserved members of a card: a question must not look like another kind.
var cardNames = []string{"id", "message", "options", "recommendation", "agent", "tool", "arguments", "argumentsText",
	"schema", "why", "remember", "truncated", "masked"}

// CardMembers returns the members of value, an object that a card gets in addition to its own members, or why it cannot
// be the Value of a question. References that are not filled in yet count as texts.
func CardMembers(value any) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("value: %w", err)
	}
	if len(raw) > MaxCard {
		return nil, fmt.Errorf("value: has %d bytes, of which a card may have %d", len(raw), MaxCard)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, errors.New("value: is no object")
	}
	for _, name := range cardNames {
		if _, taken := members[name]; taken {
			return nil, fmt.Errorf("value: the member %s of a card is not for its author", name)
		}
	}
	return members, nil
}
