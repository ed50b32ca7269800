package agui

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// What servers before 1.0 send differently, and what their own clients put up with, is read here. Nothing is guessed that
// would change what a run came to.

// DecodeForeign reads an event of a server of any version: [Decode], for which nulls of optional members are absent ones
// and the shapes of older versions are brought into today's.
func DecodeForeign(data []byte, warn func(Warning)) (Event, error) {
	data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	r := &reader{warn: warn, lenient: true}
	m, err := r.object("", data)
	if err != nil {
		return nil, err
	}
	var name EventType
	if raw, ok := m["type"]; !ok {
		return nil, &FieldError{"type", "is missing"}
	} else if err := json.Unmarshal(raw, &name); err != nil || isNull(raw) {
		return nil, &FieldError{"type", "must be a string"}
	}
	delete(m, "type")
	if retired, ok := thinking[name]; ok {
		r.drop("type", "is a retired event, read as "+string(retired))
		m["messageId"], name = json.RawMessage(`""`), retired // mends gives it one
	}
	build, ok := events[name]
	if !ok {
		r.drop("type", "is an unknown event, passed over")
		return &Unknown{Type: name, Raw: bytes.Clone(data)}, nil
	}
	r.modernise(name, m)
	e := build()
	err = r.fields("", m, e)
	if field, ok := errors.AsType[*FieldError](err); ok && strings.HasPrefix(field.Path, "input") && name == TypeRunStarted {
		r.drop(field.Path, field.Problem+", the echo is left out")
		delete(m, "input")
		e = build()
		err = r.fields("", m, e)
	}
	if err != nil {
		return nil, err
	}
	if result, ok := e.(*ToolCallResult); ok {
		if err := result.Content.fits(RoleTool, "content"); err != nil {
			return nil, err
		}
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
func (r *reader) modernise(name EventType, m map[string]json.RawMessage) {
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
		r.outcome(m)
	default:
	}
}

// wholeNumber cuts the fraction off a number: clocks of some languages have one.
func wholeNumber(raw json.RawMessage) (json.RawMessage, bool) {
	var f float64
	if isNull(raw) || json.Unmarshal(raw, &f) != nil || math.Abs(f) > maxInteger {
		return nil, false
	}
	return strconv.AppendInt(nil, int64(f), 10), true
}

// result gives a tool's result what it needs: an id of its own, and content that is text.
func (r *reader) result(m map[string]json.RawMessage) {
	if raw := m["messageId"]; raw == nil || isNull(raw) {
		if call := textOf(m["toolCallId"]); call != "" {
			m["messageId"], _ = marshal("result-" + call) // text always encodes
		}
	}
	content := bytes.TrimSpace(m["content"])
	if len(content) == 0 || content[0] == '"' || content[0] == '[' {
		return
	}
	r.drop("content", "is no text, read as its JSON")
	m["content"], _ = marshal(string(content))
}

// outcome reads the drafts of interrupts: outcome as a bare word, the questions beside it as interrupt or interrupts,
// each with an id and a value or payload.
func (r *reader) outcome(m map[string]json.RawMessage) {
	word := textOf(m["outcome"])
	if raw := m["outcome"]; raw != nil && word == "" {
		return
	}
	var drafts []map[string]json.RawMessage
	for _, member := range []string{"interrupt", "interrupts"} {
		raw := m[member]
		delete(m, member)
		if raw == nil || isNull(raw) || word == "success" {
			continue
		}
		var one map[string]json.RawMessage
		if json.Unmarshal(raw, &one) == nil {
			drafts = append(drafts, one)
			continue
		}
		var many []map[string]json.RawMessage
		if json.Unmarshal(raw, &many) == nil {
			drafts = append(drafts, many...)
		}
	}
	outcome := map[string]any{"type": word}
	switch {
	case len(drafts) > 0:
		list := make([]map[string]json.RawMessage, 0, len(drafts))
		for i, d := range drafts {
			list = append(list, modernInterrupt(d, i))
		}
		outcome["type"], outcome["interrupts"] = OutcomeInterrupt, list
		r.drop("interrupt", "is a draft's, read as an outcome")
	case word == "":
		return
	}
	if raw, err := marshal(outcome); err == nil {
		m["outcome"] = raw
	}
}

// modernInterrupt is the nth question in today's shape.
func modernInterrupt(d map[string]json.RawMessage, n int) map[string]json.RawMessage {
	if textOf(d["id"]) == "" {
		d["id"], _ = marshal("interrupt-" + strconv.Itoa(n+1)) // text always encodes
	}
	if textOf(d["reason"]) == "" {
		d["reason"] = json.RawMessage(`"input_required"`)
	}
	for _, member := range []string{"value", "payload"} {
		if raw := d[member]; raw != nil && d["metadata"] == nil {
			d["metadata"], _ = marshal(map[string]json.RawMessage{"value": raw}) // it was JSON before
		}
		delete(d, member)
	}
	return d
}
