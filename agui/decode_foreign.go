package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// This file reads what servers before 1.0 send differently, as far as their own clients accept it. Nothing is guessed
// that would change the outcome of a run.

// DecodeForeign reads an event of a server of any version: [Decode], for which nulls of optional members are absent
// ones and the shapes of older versions are brought into today's.
func DecodeForeign(data []byte, warn func(Warning)) (Event, error) {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	r := newDecoder(data)
	r.lenient = true
	defer r.tell(warn)
	name, err := r.eventType(data)
	if err != nil {
		return nil, err
	}
	old := name
	if retired, ok := thinking[name]; ok {
		r.drop("type", "is a retired event, read as "+string(retired))
		name = retired
	}
	e := newEvent(name)
	if e == nil {
		r.drop("type", "is an unknown event, passed over")
		return &Unknown{Type: name, Raw: bytes.Clone(data)}, nil
	}
	others := []string{"type"}
	if name == TypeRunFinished {
		others = append(others, draftMembers...)
	}
	m, err := r.object(data, planOf(reflect.TypeOf(e).Elem()), others...)
	if err != nil {
		return nil, err
	}
	if name != old {
		m["messageId"] = json.RawMessage(`""`) // mends gives it one
	}
	if err := r.modernise(name, m); err != nil {
		return nil, err
	}
	err = r.event(m, e)
	if field, ok := errors.AsType[*FieldError](err); ok && strings.HasPrefix(field.Path, "input") &&
		name == TypeRunStarted {
		r.drop(field.Path, field.Problem+", the echo is left out")
		delete(m, "input")
		e = newEvent(name)
		err = r.event(m, e)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// thinking are the events that reasoning had before it had ids.
var thinking = map[EventType]EventType{
	"THINKING_START":                TypeReasoningStart,
	"THINKING_END":                  TypeReasoningEnd,
	"THINKING_TEXT_MESSAGE_START":   TypeReasoningMessageStart,
	"THINKING_TEXT_MESSAGE_CONTENT": TypeReasoningMessageContent,
	"THINKING_TEXT_MESSAGE_END":     TypeReasoningMessageEnd,
}

// modernise brings the members of an event into today's shape.
func (r *decoder) modernise(name EventType, m map[string]json.RawMessage) error {
	if raw, ok := m["timestamp"]; ok {
		if whole, ok := wholeNumber(raw); ok {
			m["timestamp"] = whole
		} else {
			r.drop("timestamp", "is no number")
			delete(m, "timestamp")
		}
	}
	switch name {
	case TypeCustom:
		if m["value"] == nil {
			m["value"] = json.RawMessage("null")
		}
	case TypeReasoningMessageStart:
		m["role"] = json.RawMessage(`"reasoning"`) // drafts had the assistant's, and there is no other
	case TypeToolCallResult:
		r.result(m)
	case TypeRunFinished:
		return r.outcome(m)
	default:
	}
	return nil
}

// wholeNumber cuts the fraction off a number: clocks of some languages have one.
func wholeNumber(raw json.RawMessage) (json.RawMessage, bool) {
	var f float64
	if isNull(raw) || json.Unmarshal(raw, &f) != nil || math.Abs(f) > maxInteger {
		return nil, false
	}
	return strconv.AppendInt(nil, int64(f), 10), true
}

// result completes a tool's result: with an id, and content that is text.
func (r *decoder) result(m map[string]json.RawMessage) {
	if raw := m["messageId"]; raw == nil || isNull(raw) {
		if call := stringOf(m["toolCallId"]); call != "" {
			m["messageId"], _ = Marshal("result-" + call) // text always encodes
		}
	}
	content := bytes.TrimSpace(m["content"])
	if len(content) == 0 || content[0] == '"' || content[0] == '[' {
		return
	}
	r.drop("content", "is no text, read as its JSON")
	m["content"], _ = Marshal(string(content))
}

// outcome reads the drafts of interrupts: outcome as a bare word, the questions beside it as interrupt or interrupts,
// each with an id and a value or payload.
func (r *decoder) outcome(m map[string]json.RawMessage) error {
	word := stringOf(m["outcome"])
	if raw := m["outcome"]; raw != nil && word == "" && !isNull(raw) {
		return nil
	}
	var questions []json.RawMessage
	for draft := range drafts(m, word) {
		modern, err := r.modernInterrupt(draft, len(questions))
		if err != nil {
			return err
		}
		questions = append(questions, modern)
	}
	outcome := map[string]any{"type": word}
	switch {
	case len(questions) > 0:
		outcome["type"], outcome["interrupts"] = OutcomeInterrupt, questions
		r.drop("interrupt", "is a draft's, read as an outcome")
	case word == "":
		return nil
	}
	raw, err := Marshal(outcome)
	m["outcome"] = raw
	return err
}

// draftMembers are where drafts have their questions: one, or several.
var draftMembers = []string{"interrupt", "interrupts"}

// drafts yields the questions of a draft with a word as outcome.
func drafts(m map[string]json.RawMessage, word string) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		for _, member := range draftMembers {
			switch raw := m[member]; {
			case word == "success":
			case isObject(raw):
				if !yield(raw) {
					return
				}
			case isArray(raw):
				for draft := range jsonscan.Elements(raw) {
					if !yield(draft) {
						return
					}
				}
			}
		}
	}
}

// draftSize is about what reading a draft's question takes in memory.
const draftSize = 1 << 10

// modernInterrupt is the nth question in today's shape.
func (r *decoder) modernInterrupt(draft json.RawMessage, n int) (json.RawMessage, error) {
	if err := r.spend(draftSize); err != nil {
		return nil, err
	}
	d, err := r.object(draft, planOf(reflect.TypeFor[Interrupt]()), "value", "payload")
	if err != nil {
		return nil, err
	}
	defer r.release(d)
	if stringOf(d["id"]) == "" {
		d["id"], _ = Marshal("interrupt-" + strconv.Itoa(n+1)) // text always encodes
	}
	if stringOf(d["reason"]) == "" {
		d["reason"] = json.RawMessage(`"input_required"`)
	}
	for _, member := range []string{"value", "payload"} {
		if raw := d[member]; raw != nil && d["metadata"] == nil {
			d["metadata"], _ = Marshal(map[string]json.RawMessage{"value": raw}) // it was JSON before
		}
		delete(d, member)
	}
	return Marshal(d)
}

// stringOf returns the text of a JSON string, and nothing of any other value.
func stringOf(raw json.RawMessage) string {
	s, _ := textOf(raw)
	return s
}
