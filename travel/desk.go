package travel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// A desk is a specialist that offers options of one kind and asks the traveller to choose one.
type desk[T any] struct {
	topic      english.Topic
	list       string // pointer to the options in the state, once one of them is chosen
	item       string // the member of the itinerary: "flight"
	member     string // the member of an option that identifies it: "airline"
	bookedStep string // planning_step when one is chosen

	options func(trip) (options []T, recommended int)
	// within returns which option to recommend instead of best, and whether it is within the limits.
	within func(l limits, options []T, best int) (int, bool)
	name   func(T) string
	thing  func(T) string // "the KLM flight"

	// The sentences of the specialist: how many options there are, the question, and the confirmation.
	found func(t trip, options int, best T, days int) string
	// describes how the recommended one meets the limits; empty without limits
	limited  func(l limits, best T, met bool) string
	question func(t trip, best T) string
	booked   func(t trip, chosen T, days int) string

	voice voice
}

// errNotOffered makes a wrong choice ask again. It reaches no client and no log.
var errNotOffered = errors.New("travel: not one of the options")

// turn is the specialist's turn. It runs again from the top after the answer, and sends no text twice.
func (d desk[T]) turn(_ context.Context, turn *groupchat.Turn) error {
	o, err := readTask(turn.Instruction())
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
			return d.keep(turn, t, options[i])
		}
		return d.book(turn, t, options, options[i], o.Days)
	}
	best, met := d.within(o.Limits, options, best)
	if has && best == had {
		best = (had + 1) % len(options) // recommend another option than the previous one
		_, met = d.within(o.Limits, options[best:best+1], 0)
	}
	return d.ask(turn, t, options, best, o.Days, d.limited(o.Limits, options[best], met))
}

// ask announces the options, lets the traveller choose and books the choice.
func (d desk[T]) ask(turn *groupchat.Turn, t trip, options []T, best, days int, limited string) error {
	found := d.found(t, len(options), options[best], days)
	if limited != "" {
		found += " " + limited
	}
	say, err := d.words(turn, "found", t, map[string]string{"found": found, "question": d.question(t, options[best])})
	if err != nil {
		return err
	}
	if err := groupchat.SayOnce(turn, "found", say["found"]); err != nil {
		return err
	}
	answer, err := turn.Ask(groupchat.Question{
		Key:         d.item,
		Reason:      "input_required",
		Message:     say["question"],
		Options:     options,
		Recommended: options[best],
		By:          string(d.topic),
		Schema:      d.schema(),
		Check:       func(a ask.Answer) error { _, err := d.pick(options, a.Payload); return err },
		Again:       english.NotOffered(d.names(t)),
	})
	if err != nil {
		return err
	}
	if answer.Cancelled {
		return d.say(turn, "cancelled", t, d.cancelledText(turn, options))
	}
	chosen, err := d.pick(options, answer.Payload)
	if err != nil {
		return err
	}
	return d.book(turn, t, options, chosen, days)
}

// book writes the choice into the itinerary and confirms it. The options are written in the same delta and not before,
// because a page shows them on the question's card until one is chosen.
func (d desk[T]) book(turn *groupchat.Turn, t trip, options []T, chosen T, days int) error {
	err := write(turn, assignment{d.list, options}, assignment{"/itinerary/" + d.item, chosen},
		assignment{"/planning_step", d.bookedStep})
	if err != nil {
		return err
	}
	return d.say(turn, "booked", t, d.booked(t, chosen, days))
}

func (d desk[T]) say(turn *groupchat.Turn, key string, t trip, text string) error {
	say, err := d.words(turn, key, t, map[string]string{key: text})
	if err != nil {
		return err
	}
	return groupchat.SayOnce(turn, key, say[key])
}

// words returns the specialist's sentences, which keep the names of the options.
func (d desk[T]) words(turn *groupchat.Turn, key string, t trip, script map[string]string) (map[string]string, error) {
	return d.voice.words(turn, key, script, d.names(t)...)
}

// keep announces that the chosen option is booked already.
func (d desk[T]) keep(turn *groupchat.Turn, t trip, chosen T) error {
	if err := write(turn, assignment{"/planning_step", d.bookedStep}); err != nil {
		return err
	}
	return d.say(turn, "kept", t, english.Kept(d.thing(chosen)))
}

func (d desk[T]) cancelledText(turn *groupchat.Turn, options []T) string {
	had := read[map[string]any](turn.State(), "/itinerary/"+d.item)[d.member]
	if i, ok := find(options, d.name, had); ok {
		return english.NothingChanged(d.thing(options[i]))
	}
	return english.NothingBooked
}

// schema requires the member that identifies an option. It does not enumerate values: a wrong choice asks again.
func (d desk[T]) schema() json.RawMessage {
	raw, err := json.Marshal(map[string]any{
		"type":       "object",
		"required":   []string{d.member},
		"properties": map[string]any{d.member: map[string]string{"type": "string"}},
	})
	if err != nil {
		panic(err) // it has only strings
	}
	return raw
}

// pick returns the option that an answer names. It ignores the other members of the answer, such as the price, because
// a browser can change them. An answer may be the option, JSON text of it, or its name.
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

func (d desk[T]) names(t trip) []string {
	options, _ := d.options(t)
	names := make([]string, len(options))
	for i, option := range options {
		names[i] = d.name(option)
	}
	return names
}

// find returns the index of the option with a name, regardless of letter case and white space around it.
func find[T any](options []T, nameOf func(T) string, name any) (int, bool) {
	text, _ := name.(string)
	for i, option := range options {
		if strings.EqualFold(nameOf(option), strings.TrimSpace(text)) {
			return i, true
		}
	}
	return 0, false
}
