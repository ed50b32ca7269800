package chat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// mostLabel bounds the displayed characters of a choice.
const mostLabel = 160

// A question is an open interrupt, with the part for people decoded.
type question struct {
	agui.Interrupt
	// Event is the question in the dialect before 1.0, which is sent back with the answer; nil for interrupts of 1.0.
	Event json.RawMessage `json:"event,omitempty"`
}

// A card is the visible part of a question, in the members that a gateway's agents use. It may be empty.
type card struct {
	Message        string            `json:"message"`
	Options        []json.RawMessage `json:"options"`
	Recommendation json.RawMessage   `json:"recommendation"`
	Agent          string            `json:"agent"`

	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	Arguments   json.RawMessage `json:"arguments"`
	Schema      json.RawMessage `json:"schema"`
	Why         string          `json:"why"`
	Truncated   bool            `json:"truncated"`
	Masked      bool            `json:"masked"`
	Remember    []string        `json:"remember"`
}

// card reads the question's card. Members of another shape than the gateway's are not there.
func (q question) card() card {
	var c card
	_ = json.Unmarshal(q.Metadata["value"], &c) // a member of another shape is left out
	c.Message = cmp.Or(q.Message, c.Message, "An answer is needed ("+q.Reason+").")
	return c
}

type choice struct {
	value       json.RawMessage
	label       string
	recommended bool
}

// choices are the answers that a question offers: its card's options, or what its schema enumerates.
func (q question) choices() []choice {
	c := q.card()
	if len(c.Options) == 0 {
		return parseSchema(q.ResponseSchema).choices()
	}
	var list []choice
	for _, option := range c.Options {
		recommended := len(c.Recommendation) > 0 && compact(option) == compact(c.Recommendation)
		list = append(list, choice{value: option, label: label(option), recommended: recommended})
	}
	return list
}

// label returns the label of a value: a text, the members of an object, or its JSON.
func label(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return line(text, mostLabel)
	}
	var parts []string
	for i, m := range members(value) {
		if json.Unmarshal(m.value, &text) != nil {
			text = compact(m.value)
		}
		if i > 0 {
			text = m.name + " " + text
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		parts = []string{compact(value)}
	}
	return line(strings.Join(parts, ", "), mostLabel)
}

// until returns when a question expires; empty if unknown.
func (q question) until() string {
	at, err := time.Parse(time.RFC3339, q.ExpiresAt)
	if err != nil {
		return ""
	}
	return "open until " + at.Local().Format("2006-01-02 15:04")
}

// A misfit is the reason why an answer is invalid, for people.
type misfit string

func (m misfit) Error() string { return string(m) }

// parseTyped returns the answer for a text: a choice by number or name, JSON, or the text. The error is a [misfit].
func (q question) parseTyped(text string) (json.RawMessage, error) {
	if payload, ok, err := q.parseExactly(text); ok {
		return payload, err
	}
	if n := len(q.choices()); n > 0 && q.isClosed() {
		return nil, misfit("this is none of the choices 1 to " + strconv.Itoa(n))
	}
	asText, err := written(text)
	if err != nil {
		return nil, err
	}
	return q.fit(asText)
}

// isFreeText reports whether only the agent can interpret a text as an answer, if it reads messages as answers.
func (q question) isFreeText(text string) bool {
	if q.approval() {
		return false
	}
	if _, ok, _ := q.parseExactly(text); ok {
		return false
	}
	_, err := q.parseTyped(text)
	return err != nil || len(q.choices()) > 0
}

// parseExactly is typed for unambiguous texts: a decision, the number or the name of a choice, and valid JSON.
func (q question) parseExactly(text string) (payload json.RawMessage, ok bool, err error) {
	choices := q.choices()
	approved, decided := decision(text)
	n, notNumber := strconv.Atoi(text)
	named := named(choices, text)
	switch {
	case decided && q.approval():
		payload, err = q.fit(json.RawMessage(`{"approved":` + strconv.FormatBool(approved) + `}`))
	case decided && parseSchema(q.ResponseSchema).kind() == "boolean":
		payload, err = q.fit(json.RawMessage(strconv.FormatBool(approved)))
	case notNumber == nil && len(choices) > 0 && (n < 1 || n > len(choices)):
		err = misfit("there are the choices 1 to " + strconv.Itoa(len(choices)))
	case notNumber == nil && len(choices) > 0:
		payload, err = q.fit(choices[n-1].value)
	case named != nil:
		payload, err = q.fit(named.value)
	default:
		if json.Valid([]byte(text)) {
			payload, err = q.fit(json.RawMessage(text))
		}
		return payload, payload != nil && err == nil, nil
	}
	return payload, true, err
}

// named is the one choice that a text means: by what it is called, or by the text of one of its members.
func named(choices []choice, text string) (found *choice) {
	for i, c := range choices {
		names := []string{c.label}
		for _, m := range members(c.value) {
			var name string
			if json.Unmarshal(m.value, &name) == nil {
				names = append(names, name)
			}
		}
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, text) }) {
			continue
		}
		if found != nil {
			return nil // ambiguous
		}
		found = &choices[i]
	}
	return found
}

// isClosed reports whether a text in general is no answer.
func (q question) isClosed() bool {
	_, err := q.fit(json.RawMessage(`"\u0000"`))
	return err != nil
}

// fit is a value in the form in which it answers the question, if it does.
func (q question) fit(value json.RawMessage) (json.RawMessage, error) {
	if !checkable(q.ResponseSchema) {
		return value, nil
	}
	fitted := state.FitAnswer(q.ResponseSchema, value)
	if fitted == nil {
		fitted = value
	}
	if err := state.ValidateAnswer(q.ResponseSchema, fitted); err != nil {
		return nil, misfit("this is no answer to the question: " + mismatch(err))
	}
	return fitted, nil
}

// mismatch describes the violation of a schema by an answer, with a JSON Pointer and a keyword of the schema.
func mismatch(err error) string {
	return line(strings.TrimPrefix(err.Error(), state.ErrAnswer.Error()+": "), 300)
}

// checkable reports whether answers can be validated here; otherwise the server has to.
func checkable(schema json.RawMessage) bool {
	return len(schema) > 0 && state.CheckSchema(schema) == nil
}

// legacyQuestions decodes values of CUSTOM on_interrupt from before 1.0, JSON or strings that may contain JSON.
func legacyQuestions(values []json.RawMessage) (list []question) {
	for i, event := range values {
		value, text := event, ""
		if json.Unmarshal(event, &text) == nil && json.Valid([]byte(text)) {
			value = json.RawMessage(text)
		}
		var id string
		_ = json.Unmarshal(valueOf(value, "id"), &id) // without one it has a number
		q := question{Event: event}
		q.ID, q.Reason = cmp.Or(id, strconv.Itoa(i+1)), "input_required"
		q.Metadata = agui.Metadata{"value": value}
		if members(value) == nil {
			q.Message = text
		}
		list = append(list, q)
	}
	return list
}

type answer struct {
	question question
	payload  json.RawMessage // nil cancels it
}

// resume puts answers into a request, in the dialect of their questions.
func resume(in *agui.RunAgentInput, answers []answer) error {
	var entries []agui.ResumeEntry
	for _, a := range answers {
		e := agui.ResumeEntry{InterruptID: a.question.ID, Status: agui.ResumeResolved, Payload: a.payload}
		if a.payload == nil {
			e.Status = agui.ResumeCancelled
		}
		entries = append(entries, e)
	}
	if len(answers) == 0 || answers[0].question.Event == nil {
		in.Resume = entries
		return nil
	}
	command := map[string]any{"resume": entries}
	if len(answers) == 1 && answers[0].payload != nil {
		command = map[string]any{"resume": answers[0].payload, "interruptEvent": answers[0].question.Event}
	}
	props, err := agui.Marshal(map[string]any{"command": command})
	in.ForwardedProps = props
	return err
}
