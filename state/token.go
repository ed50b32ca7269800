package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// A TokenStatus is where a token is in its life: open until somebody's answer claims it, claimed until a
// commit uses it up or a failure opens it again, used for good.
type TokenStatus string

// The statuses of a token.
const (
	TokenOpen    TokenStatus = "open"
	TokenClaimed TokenStatus = "claimed"
	TokenUsed    TokenStatus = "used"
	TokenDropped TokenStatus = "dropped" // its checkpoint is gone, without an answer
)

// A Token is the right to answer one interrupt once. It is bound to its thread; its id is unguessable.
type Token struct {
	// Interrupt is the question as clients see it.
	Interrupt agui.Interrupt `json:"interrupt"`
	// AskedAt is when it was asked, zero if it is not known.
	AskedAt   time.Time   `json:"askedAt,omitzero"`
	ExpiresAt time.Time   `json:"expiresAt,omitzero"`
	Status    TokenStatus `json:"status"`
	// Answer is the one that claimed it, and AnsweredAt when that was, or when the unanswered question expired; zero if
	// that is not known.
	Answer     *Answer   `json:"answer,omitempty"`
	AnsweredAt time.Time `json:"answeredAt,omitzero"`
}

// Expired reports whether the token's time is over at now.
func (t *Token) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// An Answer is one entry of a resume, in its canonical spelling.
type Answer struct {
	// ID is the interrupt's; empty for a legacy answer that names none.
	ID     string            `json:"id,omitempty"`
	Status agui.ResumeStatus `json:"status"`
	// Payload is canonical JSON; nil for a cancelled entry.
	Payload json.RawMessage `json:"payload,omitempty"`
	// TimedOut marks an expired question that a caller who cannot see expiry answered all the same: it is
	// cancelled and may be asked again. Late is the answer, to know the same answer again.
	TimedOut bool            `json:"timedOut,omitempty"`
	Late     json.RawMessage `json:"late,omitempty"`
	// AskedAt is the question's, and Expired says that its time was over when the answer came.
	AskedAt time.Time `json:"askedAt,omitzero"`
	Expired bool      `json:"expired,omitempty"`
}

// same reports whether b, as a caller gives it, means what a, as a token keeps it, does: equal status and payload.
func (a *Answer) same(b *Answer) bool {
	if a.TimedOut {
		return b.Status == agui.ResumeResolved && bytes.Equal(a.Late, b.Payload)
	}
	return a.Status == b.Status && bytes.Equal(a.Payload, b.Payload)
}

// maxInnerText is how much text, in bytes, is looked at as JSON. Decoded it takes many times its size.
const maxInnerText = 1 << 20

// Canonical returns raw in the one spelling that answers are compared in: the JSON text of an object, an array
// or a string inside a string is decoded, object members are sorted, white space is gone. Null and nothing
// become nil: they are no answer. Other text stays text: that "1" means 1 only the question's schema can tell, and a
// megabyte is no answer that was meant as JSON.
func Canonical(raw json.RawMessage) json.RawMessage {
	v, ok := decode(raw)
	if !ok || v == nil {
		return nil
	}
	if s, isText := v.(string); isText && len(s) <= maxInnerText {
		switch inner, _ := decode([]byte(s)); inner.(type) {
		case map[string]any, []any, string:
			v = inner
		}
	}
	out, err := encode(v)
	if err != nil {
		return nil
	}
	return out
}

// RepeatsName reports whether an object of raw, or of the JSON text that raw contains, has one name twice. Such an
// answer is ambiguous, because readers of JSON differ in which of the two members counts.
func RepeatsName(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return len(text) <= maxInnerText && RepeatsName(json.RawMessage(text))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	open := []map[string]bool{nil} // the names of each open object; nil for a list
	named := []bool{false}         // whether the name of the next value was read
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		last := len(open) - 1
		if name, ok := token.(string); ok && open[last] != nil && !named[last] {
			if open[last][name] {
				return true
			}
			open[last][name], named[last] = true, true
			continue
		}
		named[last] = false
		switch token {
		case json.Delim('{'):
			open, named = append(open, map[string]bool{}), append(named, false)
		case json.Delim('['):
			open, named = append(open, nil), append(named, false)
		case json.Delim('}'), json.Delim(']'):
			open, named = open[:last], named[:last]
		}
	}
}

// FitAnswer returns payload in the form in which it answers a question with this schema, as admit takes it: a bare
// value may stand for an object with it as the only required member, and a text for the number or truth value it
// spells. Nil means that it answers in no form.
func FitAnswer(schema, payload json.RawMessage) json.RawMessage {
	return FitQuestion(agui.Interrupt{ResponseSchema: schema}, payload)
}

// spellings returns the forms payload may be meant in as an answer to a question with this schema, the likeliest
// first: as it is, in the object form, and, for text, as the number or truth value it spells.
func spellings(schema, payload json.RawMessage) []json.RawMessage {
	forms := []json.RawMessage{payload}
	var text string
	if json.Unmarshal(payload, &text) == nil && len(text) <= maxInnerText {
		switch inner, _ := decode([]byte(text)); inner.(type) {
		case json.Number, bool:
			forms = append(forms, json.RawMessage(text))
		}
	}
	bare := slices.Clone(forms)
	for _, member := range bareMembers(schema) {
		for _, form := range bare {
			if object := wrap(member, form); object != nil {
				forms = append(forms, object)
			}
		}
	}
	return forms
}

// bareMembers are the members that a bare value may be meant as, the likeliest first: the only one that the schema
// requires, or, where it requires none, those of a person's decision.
func bareMembers(schema json.RawMessage) []string {
	var s struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Required) > 1 {
		return nil
	}
	if len(s.Required) == 1 {
		return s.Required
	}
	return slices.DeleteFunc([]string{"approved", "comments"},
		func(name string) bool { return s.Properties[name] == nil })
}

// wrap returns {member: payload}, also if payload is an object without that member; nil if it has it.
func wrap(member string, payload json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if len(payload) == 0 || json.Unmarshal(payload, &members) == nil && members[member] != nil {
		return nil
	}
	out, err := encode(map[string]any{member: payload})
	if err != nil {
		return nil
	}
	return out
}

func decode(raw []byte) (any, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, false
	}
	if dec.More() || dec.InputOffset() < int64(len(bytes.TrimRight(raw, " \t\r\n"))) {
		return nil, false
	}
	return v, true
}

func encode(v any) (json.RawMessage, error) { return agui.Marshal(v) }

// Hash returns a short name for data. Other data, and the same bytes in other parts, have another name.
func Hash(data ...[]byte) string {
	h := sha256.New()
	if len(data) == 1 {
		h.Write(data[0])
		h.Write([]byte{0})
		return hex.EncodeToString(h.Sum(nil))
	}
	for _, d := range data {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(d))))
		h.Write(d)
	}
	h.Write([]byte{1}) // other than the end of a single part
	return hex.EncodeToString(h.Sum(nil))
}
