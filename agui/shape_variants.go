package agui

import (
	"encoding/json"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// The check methods of this file apply the rules of the read methods to types with fields that depend on a
// discriminator.

// check does without the table of the fields: a snapshot may hold thousands of messages.
func (m *Message) check() *FieldError {
	fields, ok := messages.of[string(m.Role)]
	if !ok {
		return &FieldError{"role", "is unknown"}
	}
	for _, member := range [...]struct {
		name, text string
		set        bool
	}{
		{"id", m.ID, false},
		{"subagentRunId", m.SubagentRunID, false},
		{"name", m.Name, m.Name != ""},
		{"toolCallId", m.ToolCallID, m.ToolCallID != ""},
		{"error", m.Error, m.Error != ""},
		{"activityType", m.ActivityType, m.ActivityType != ""},
		{"encryptedValue", m.EncryptedValue, m.EncryptedValue != ""},
		{"toolCalls", "", len(m.ToolCalls) > 0},
	} {
		if member.set && !fields.has(member.name) {
			return &FieldError{member.name, "is not a member of this role's messages"}
		}
		if !utf8.ValidString(member.text) {
			return errNotUTF8.in(member.name)
		}
	}
	for i := range m.ToolCalls {
		if problem := checkFields(reflect.ValueOf(&m.ToolCalls[i]).Elem()); problem != nil {
			return problem.in("toolCalls[" + strconv.Itoa(i) + "]")
		}
	}
	if problem := m.Metadata.check(); problem != nil {
		return problem.in("metadata")
	}
	if m.Content.IsZero() {
		return nil // written as the role needs it
	}
	if problem := m.Content.check(); problem != nil {
		return problem.in("content")
	}
	return m.Content.fits(m.Role, "content")
}

func (c *Content) check() *FieldError {
	switch c.kind {
	case contentText:
		if !utf8.ValidString(c.text) {
			return errNotUTF8
		}
	case contentObject:
		if !isObject(c.raw) {
			return &FieldError{"", "must be an object"}
		}
		return checkJSON(c.raw)
	case contentParts:
		for i := range c.parts {
			if problem := c.parts[i].check(); problem != nil {
				return problem.in("[" + strconv.Itoa(i) + "]")
			}
		}
	default: // nothing, which is written as the empty text
	}
	return nil
}

// checkJSON checks opaque JSON that a run keeps in its view and may never encode.
func checkJSON(raw json.RawMessage) *FieldError {
	switch {
	case !json.Valid(raw):
		return &FieldError{"", "is not JSON"}
	case !utf8.Valid(raw):
		return errNotUTF8
	}
	return nil
}

func (p *Part) check() *FieldError {
	if !utf8.ValidString(p.ID) {
		return errNotUTF8.in("id")
	}
	if len(p.Metadata) > 0 {
		if isNull(p.Metadata) {
			return &FieldError{"metadata", "must not be null"}
		}
		if problem := checkJSON(p.Metadata); problem != nil {
			return problem.in("metadata")
		}
	}
	switch p.Type {
	case PartText:
		if p.Source != nil {
			return &FieldError{"source", "is not a member of this part"}
		}
		if !utf8.ValidString(p.Text) {
			return errNotUTF8.in("text")
		}
		return nil
	case PartImage, PartAudio, PartVideo, PartDocument:
		if p.Source == nil {
			return &FieldError{"source", "is missing"}
		}
		if problem := p.Source.check(); problem != nil {
			return problem.in("source")
		}
		return nil
	default:
		return &FieldError{"type", "is unknown"}
	}
}

func (s *Source) check() *FieldError { return sources.check(string(s.Type), s) }

func (u *TokenUsage) check() *FieldError {
	if problem := u.negative(); problem != nil {
		return problem
	}
	return checkFields(reflect.ValueOf(u).Elem())
}

func (u *TokenUsage) negative() *FieldError {
	for _, count := range [...]struct {
		name string
		n    *int64
	}{
		{"inputTokens", u.InputTokens}, {"outputTokens", u.OutputTokens}, {"totalTokens", u.TotalTokens},
		{"reasoningTokens", u.ReasoningTokens}, {"cachedInputTokens", u.CachedInputTokens},
		{"cacheWriteInputTokens", u.CacheWriteInputTokens},
	} {
		if count.n != nil && *count.n < 0 {
			return &FieldError{count.name, "must not be negative"}
		}
	}
	return nil
}

func (m *Metadata) check() *FieldError {
	for name, value := range *m {
		if !utf8.ValidString(name) {
			return &FieldError{"", "has a name that is not valid UTF-8"}
		}
		if value != nil {
			if problem := checkJSON(value); problem != nil {
				return problem.in(name)
			}
		}
	}
	return nil
}

func (o *PatchOp) check() *FieldError {
	switch o.Op {
	case "add", "replace", "test", "remove":
	case "move", "copy":
		if problem := checkPointer(o.From); problem != nil {
			return problem.in("from")
		}
	default:
		return &FieldError{"op", "is unknown"}
	}
	if problem := checkPointer(o.Path); problem != nil {
		return problem.in("path")
	}
	if !utf8.Valid(o.Value) {
		return errNotUTF8.in("value")
	}
	return nil
}

func checkPointer(s string) *FieldError {
	switch {
	case !utf8.ValidString(s):
		return errNotUTF8
	case !pointer.MatchString(s):
		return &FieldError{"", "must be a JSON pointer"}
	}
	return nil
}

func (o *Outcome) check() *FieldError {
	if o.Type == OutcomeInterrupt && len(o.Interrupts) == 0 {
		return &FieldError{"interrupts", "must not be empty"}
	}
	return outcomes.check(string(o.Type), o)
}

func (o *SubagentOutcome) check() *FieldError { return subagentOutcomes.check(string(o.Type), o) }
