package travel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// A desk is where a specialist offers things of one kind and lets the traveller choose.
type desk[T any] struct {
	topic   english.Topic
	list    string // pointer to the options in the state, once one of them is chosen
	item    string // the member of the itinerary: "flight"
	member  string // what tells options apart: "airline"
	booking string // planning_step once one is chosen

	options func(trip) (options []T, recommended int)
	name    func(T) string
	thing   func(T) string // "the KLM flight"

	// What the specialist says: how many options there are, which of them is wanted, and that it is booked.
	found    func(t trip, options int, best T, days int) string
	question func(t trip, best T) string
	booked   func(t trip, chosen T, days int) string
}

// errNotOffered is what a wrong choice is; it asks again and goes nowhere.
var errNotOffered = errors.New("travel: not one of the options")

// serve is the specialist's turn. It may be repeated up to the question: nothing is written before the answer, and what
// was said is not said twice.
func (d desk[T]) serve(_ context.Context, turn *groupchat.Turn) error {
	o, err := readErrand(turn.Instruction())
	if err != nil {
		return err
	}
	t := readTrip(turn.State())
	options, best := d.options(t)
	if len(options) == 0 {
		return fmt.Errorf("travel: no %s from %q to %q", d.topic, t.origin, t.destination)
	}
	had, has := find(options, d.name, read[map[string]any](turn.State(), "/itinerary/"+d.item)[d.member])
	if i, ok := find(options, d.name, o.Choice); ok {
		if has && i == had {
			return d.keep(turn, options[i])
		}
		return d.book(turn, t, options, options[i], o.Days)
	}
	if has && best == had {
		best = (had + 1) % len(options) // somebody who wants another one is not told to take the same
	}
	return d.ask(turn, t, options, best, o.Days)
}

// ask announces the options, lets the traveller choose and books the choice.
func (d desk[T]) ask(turn *groupchat.Turn, t trip, options []T, best, days int) error {
	if err := groupchat.Say(turn, "found", "%s", d.found(t, len(options), options[best], days)); err != nil {
		return err
	}
	answer, err := turn.Ask(groupchat.Question{
		Key:         d.item,
		Reason:      "input_required",
		Message:     d.question(t, options[best]),
		Options:     options,
		Recommended: options[best],
		By:          string(d.topic),
		Schema:      d.schema(),
		Check:       func(a groupchat.Answer) error { _, err := d.pick(options, a.Payload); return err },
		Again:       english.NotOffered(d.names(t)),
	})
	if err != nil {
		return err
	}
	if answer.Cancelled {
		return groupchat.Say(turn, "cancelled", "%s", d.cancelledText(turn, options))
	}
	chosen, err := d.pick(options, answer.Payload)
	if err != nil {
		return err
	}
	return d.book(turn, t, options, chosen, days)
}

// book puts the choice into the itinerary and confirms it. The options are written with it and not before: a page
// shows them on the question's card, and in the state once they are what was chosen from.
func (d desk[T]) book(turn *groupchat.Turn, t trip, options []T, chosen T, days int) error {
	err := write(turn.State(), put{d.list, options}, put{"/itinerary/" + d.item, chosen}, put{"/planning_step", d.booking})
	if err != nil {
		return err
	}
	return groupchat.Say(turn, "booked", "%s", d.booked(t, chosen, days))
}

// keep says that the choice is the one made before.
func (d desk[T]) keep(turn *groupchat.Turn, chosen T) error {
	if err := write(turn.State(), put{"/planning_step", d.booking}); err != nil {
		return err
	}
	return groupchat.Say(turn, "kept", "%s", english.Kept(d.thing(chosen)))
}

func (d desk[T]) cancelledText(turn *groupchat.Turn, options []T) string {
	had := read[map[string]any](turn.State(), "/itinerary/"+d.item)[d.member]
	if i, ok := find(options, d.name, had); ok {
		return english.NothingChanged(d.thing(options[i]))
	}
	return english.NothingBooked
}

// schema asks for the member that tells options apart and leaves room for the rest of the option. Which
// values it may have is not said: a wrong one shall be asked again, not refused.
func (d desk[T]) schema() json.RawMessage {
	raw, err := json.Marshal(map[string]any{
		"type":       "object",
		"required":   []string{d.member},
		"properties": map[string]any{d.member: map[string]string{"type": "string"}},
	})
	if err != nil {
		panic(err) // it is all text
	}
	return raw
}

// pick returns our own copy of the option an answer names: what else the answer says, a price for one, is
// the browser's word. An answer may be the option, JSON text of it, or the bare name.
func (d desk[T]) pick(options []T, payload json.RawMessage) (T, error) {
	var text string
	if json.Unmarshal(payload, &text) == nil {
		payload = json.RawMessage(text)
	}
	var name any = text
	var answer map[string]any
	if json.Unmarshal(payload, &answer) == nil {
		name = answer[d.member]
	}
	if i, ok := find(options, d.name, name); ok {
		return options[i], nil
	}
	var zero T
	return zero, errNotOffered
}

// names are what the options of t are called.
func (d desk[T]) names(t trip) []string {
	options, _ := d.options(t)
	names := make([]string, len(options))
	for i, option := range options {
		names[i] = d.name(option)
	}
	return names
}

// find returns the index of the option that is called name, letter case and white space around aside.
func find[T any](options []T, called func(T) string, name any) (int, bool) {
	text, _ := name.(string)
	for i, option := range options {
		if strings.EqualFold(called(option), strings.TrimSpace(text)) {
			return i, true
		}
	}
	return 0, false
}
