package groupchat

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A Condition looks at a manager's view: the shared state, and the messages. It has no effect and does not fail: where
// a value is missing, or of another type than the condition is about, it does not hold. Conditions stand in rules, in
// Chat.Until and in [SelectWhen].
type Condition func(v View) bool

// holds reports whether c holds; a condition that is nil does not.
func (c Condition) holds(v View) bool { return c != nil && c(v) }

// And holds while all of the conditions hold; without any it holds.
func And(all ...Condition) Condition {
	return func(v View) bool {
		return !slices.ContainsFunc(all, func(c Condition) bool { return !c.holds(v) })
	}
}

// Or holds while at least one of the conditions holds.
func Or(any ...Condition) Condition {
	return func(v View) bool {
		return slices.ContainsFunc(any, func(c Condition) bool { return c.holds(v) })
	}
}

// Not holds while c does not.
func Not(c Condition) Condition { return func(v View) bool { return !c.holds(v) } }

// Missing holds while the value at pointer is not there or holds nothing: null, "", [] and {} are nothing.
func Missing(pointer string) Condition {
	return func(v View) bool {
		raw, ok := v.raw(pointer)
		return !ok || !document.Filled(raw)
	}
}

// Present is the opposite of [Missing].
func Present(pointer string) Condition { return Not(Missing(pointer)) }

// Equals holds while the value at pointer is value, as JSON. A value that JSON has not is never there.
func Equals(pointer string, value any) Condition {
	want, err := json.Marshal(value)
	want = state.Canonical(want)
	return func(v View) bool {
		raw, ok := v.raw(pointer)
		return ok && err == nil && bytes.Equal(state.Canonical(raw), want)
	}
}

// Greater holds while the value at pointer is a number greater than n.
func Greater(pointer string, n float64) Condition {
	return number(pointer, func(got float64) bool { return got > n })
}

// Less holds while the value at pointer is a number less than n.
func Less(pointer string, n float64) Condition {
	return number(pointer, func(got float64) bool { return got < n })
}

func number(pointer string, holds func(float64) bool) Condition {
	return func(v View) bool {
		raw, _ := v.raw(pointer)
		var got *float64
		return exact.Unmarshal(raw, &got) == nil && got != nil && holds(*got)
	}
}

// Contains holds while the value at pointer is a list one element of which is value, as JSON, or a text of which value,
// a text too, is a part, letter by letter.
func Contains(pointer string, value any) Condition {
	want, err := json.Marshal(value)
	want = state.Canonical(want)
	part, isText := value.(string)
	return func(v View) bool {
		raw, ok := v.raw(pointer)
		if !ok || err != nil {
			return false
		}
		var list []json.RawMessage
		if exact.Unmarshal(raw, &list) == nil {
			return slices.ContainsFunc(list,
				func(one json.RawMessage) bool { return bytes.Equal(state.Canonical(one), want) })
		}
		text, ok := textOf(raw)
		return ok && isText && strings.Contains(text, part)
	}
}

// Matches holds while the value at pointer is a text in which pattern matches.
func Matches(pointer string, pattern *regexp.Regexp) Condition {
	return func(v View) bool {
		raw, _ := v.raw(pointer)
		text, ok := textOf(raw)
		return ok && pattern != nil && pattern.MatchString(text)
	}
}

// textOf is the text that raw is, and whether it is one.
func textOf(raw json.RawMessage) (string, bool) {
	var text *string
	if exact.Unmarshal(raw, &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// UserSaid holds while the newest message of the user's is there and its text passes test, such as
// [regexp.Regexp.MatchString].
func UserSaid(test func(text string) bool) Condition {
	return func(v View) bool {
		m, ok := v.LastUser()
		return ok && test(m.Content.Text())
	}
}

// Said holds while the participant has said something in the conversation, of which the last message passes test. What
// its team said under other names does not count.
func Said(participant string, test func(text string) bool) Condition {
	return func(v View) bool {
		m, ok := v.LastWords(participant)
		return ok && test(m.Content.Text())
	}
}

// Speaker holds while the participant was the last to have a turn in this run.
func Speaker(participant string) Condition {
	return func(v View) bool { return v.LastSpeaker == participant }
}

func (v View) raw(pointer string) (json.RawMessage, bool) {
	if v.State == nil {
		return nil, false
	}
	return v.State.Raw(pointer)
}

// LastUser returns the newest user message of the conversation, and whether there is one.
func (v View) LastUser() (Message, bool) {
	return v.newest(func(m Message) bool { return m.Role == agui.RoleUser })
}

// LastWords returns the newest message with words that a participant, or the supervisor, said under its name, and
// whether there is one.
func (v View) LastWords(participant string) (Message, bool) {
	return v.newest(func(m Message) bool {
		return m.Role == agui.RoleAssistant && m.Name == participant && !m.Content.IsZero() && v.saidBy(m, participant)
	})
}

// saidBy reports whether m, which has the participant's name, may be the participant's: others in the tree may have
// that name.
func (v View) saidBy(m Message, participant string) bool {
	if v.turn == nil {
		return true
	}
	path := v.turn.x.speaker(m)
	return path == "" || path == joinPath(v.turn.identity(), participant)
}

// newest returns the newest message of the conversation for which is holds. It reads no more of the conversation than
// it has to.
func (v View) newest(is func(Message) bool) (Message, bool) {
	if v.backward == nil {
		return newest(v.History(), is)
	}
	for m := range v.backward {
		if is(m) {
			return m, true
		}
	}
	return Message{}, false
}

// newest returns the last of messages for which is holds.
func newest(messages []Message, is func(Message) bool) (Message, bool) {
	for _, m := range slices.Backward(messages) {
		if is(m) {
			return m, true
		}
	}
	return Message{}, false
}
