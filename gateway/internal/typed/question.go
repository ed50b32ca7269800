package typed

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// A Question is an open question, as far as messages can answer it.
type Question struct {
	message     string
	schema      json.RawMessage
	options     []option
	recommended int // index of an option, or -1
	kind        kind
}

// An option is one of the answers that a question offers.
type option struct {
	payload json.RawMessage // in the form of the question's schema
	value   json.RawMessage // as the question shows it
	labels  []string        // what it is called; the first one is shown
}

// A kind is the form of a question's answers.
type kind int

const (
	form     kind = iota // by a document that its schema describes
	closed               // by its card alone
	choice               // by one of its options
	decision             // by yes or no: an approval, or a truth value
	words                // by any text
)

// maxOptions is the greatest number of options of a question that messages can answer.
const maxOptions = 100

// Read returns the question of an interrupt.
func Read(i agui.Interrupt) Question {
	q := Question{message: i.Message, schema: i.ResponseSchema, recommended: -1}
	s := readSchema(i.ResponseSchema)
	usable := q.readOptions(i, s)
	switch {
	case i.Reason == "tool_call" || q.approval() || s.answerType() == "boolean":
		q.kind = decision
	case !usable || len(q.options) > maxOptions:
		q.kind, q.options = closed, nil
	case len(q.options) > 0:
		q.kind = choice
	case !s.offers() && state.FitAnswer(q.schema, json.RawMessage(`"some words"`)) != nil:
		q.kind = words
	}
	return q
}

// readOptions reads the options, from the card or else from the schema, and reports whether all satisfy the schema.
func (q *Question) readOptions(i agui.Interrupt, s schema) bool {
	var card struct {
		Options        []json.RawMessage `json:"options"`
		Recommendation json.RawMessage   `json:"recommendation"`
	}
	_ = exact.Unmarshal(i.Metadata["value"], &card) // a card of another form has no options
	values := make([]enumValue, len(card.Options))
	for i, o := range card.Options {
		values[i].value = o
	}
	if len(values) == 0 {
		values = s.values()
	}
	for _, v := range values {
		o := option{value: v.value, labels: labelsOf(v, s.member())}
		for _, form := range formsOf(v.value, s.member()) {
			if o.payload = state.FitAnswer(q.schema, form); o.payload != nil {
				break
			}
		}
		if o.payload == nil || len(o.labels) == 0 {
			q.options = nil // a list with holes has other numbers than people see
			return false
		}
		q.options = append(q.options, o)
	}
	if best := state.Canonical(card.Recommendation); best != nil {
		q.recommended = slices.IndexFunc(q.options,
			func(o option) bool { return string(state.Canonical(o.value)) == string(best) })
	}
	return true
}

// formsOf returns the possible forms of an option in an answer.
func formsOf(value json.RawMessage, member string) []json.RawMessage {
	forms := []json.RawMessage{state.Canonical(value)}
	var members map[string]json.RawMessage
	if exact.Unmarshal(value, &members) == nil {
		for _, name := range []string{"value", "id", member} {
			if v := state.Canonical(members[name]); v != nil {
				forms = append(forms, v)
			}
		}
	}
	return forms
}

// labelsOf returns the distinct labels of an option.
func labelsOf(v enumValue, member string) []string {
	var labels []string
	add := func(raw json.RawMessage) {
		var text string
		var number json.Number
		if exact.Unmarshal(raw, &text) != nil {
			if exact.Unmarshal(raw, &number) != nil {
				return
			}
			text = number.String()
		}
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(labels, text) {
			labels = append(labels, text)
		}
	}
	if v.title != "" {
		labels = append(labels, v.title)
	}
	var members map[string]json.RawMessage
	if exact.Unmarshal(v.value, &members) != nil || members == nil {
		add(v.value)
		return labels
	}
	for _, name := range []string{"label", "title", "name", member, "value", "id"} {
		add(members[name])
	}
	return labels
}

// labels are the names of the options, in order.
func (q Question) labels() []string {
	list := make([]string, len(q.options))
	for i, o := range q.options {
		list[i] = o.labels[0]
	}
	return list
}
