package condition

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// holds reports whether c holds; a condition that is nil does not.
func holds(c groupchat.Condition, v groupchat.View) bool { return c != nil && c(v) }

// valueAt returns the value at pointer in the state of v, and whether there is one.
func valueAt(v groupchat.View, pointer string) (json.RawMessage, bool) {
	if v.State == nil {
		return nil, false
	}
	return v.State.Raw(pointer)
}

// And holds while all of the conditions hold; without any it holds.
func And(all ...groupchat.Condition) groupchat.Condition {
	return func(v groupchat.View) bool {
		return !slices.ContainsFunc(all, func(c groupchat.Condition) bool { return !holds(c, v) })
	}
}

// Or holds while at least one of the conditions holds.
func Or(any ...groupchat.Condition) groupchat.Condition {
	return func(v groupchat.View) bool {
		return slices.ContainsFunc(any, func(c groupchat.Condition) bool { return holds(c, v) })
	}
}

// Not holds while c does not.
func Not(c groupchat.Condition) groupchat.Condition {
	return func(v groupchat.View) bool { return !holds(c, v) }
}

// Missing holds while the value at pointer is not there or holds nothing: null, "", [] and {} are nothing.
func Missing(pointer string) groupchat.Condition {
	return func(v groupchat.View) bool {
		raw, ok := valueAt(v, pointer)
		return !ok || !document.Filled(raw)
	}
}

// Present is the opposite of [Missing].
func Present(pointer string) groupchat.Condition { return Not(Missing(pointer)) }

// Equals holds while the value at pointer is value, as JSON. A value that JSON has not is never there.
func Equals(pointer string, value any) groupchat.Condition {
	want, err := json.Marshal(value)
	want = state.Canonical(want)
	return func(v groupchat.View) bool {
		raw, ok := valueAt(v, pointer)
		return ok && err == nil && bytes.Equal(state.Canonical(raw), want)
	}
}

// Greater holds while the value at pointer is a number greater than n.
func Greater(pointer string, n float64) groupchat.Condition {
	return number(pointer, func(got float64) bool { return got > n })
}

// Less holds while the value at pointer is a number less than n.
func Less(pointer string, n float64) groupchat.Condition {
	return number(pointer, func(got float64) bool { return got < n })
}

func number(pointer string, holds func(float64) bool) groupchat.Condition {
	return func(v groupchat.View) bool {
		raw, _ := valueAt(v, pointer)
		var got *float64
		return exact.Unmarshal(raw, &got) == nil && got != nil && holds(*got)
	}
}

// Contains holds while the value at pointer is a list one element of which is value, as JSON, or a text of which value,
// a text too, is a part, letter by letter.
func Contains(pointer string, value any) groupchat.Condition {
	want, err := json.Marshal(value)
	want = state.Canonical(want)
	part, isText := value.(string)
	return func(v groupchat.View) bool {
		raw, ok := valueAt(v, pointer)
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
func Matches(pointer string, pattern *regexp.Regexp) groupchat.Condition {
	return func(v groupchat.View) bool {
		raw, _ := valueAt(v, pointer)
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
func UserSaid(test func(text string) bool) groupchat.Condition {
	return func(v groupchat.View) bool {
		m, ok := v.LastUser()
		return ok && test(m.Content.Text())
	}
}

// Said holds while the participant has said something in the conversation, of which the last message passes test. What
// its team said under other names does not count.
func Said(participant string, test func(text string) bool) groupchat.Condition {
	return func(v groupchat.View) bool {
		m, ok := v.LastWords(participant)
		return ok && test(m.Content.Text())
	}
}

// Speaker holds while the participant was the last to have a turn in this run.
func Speaker(participant string) groupchat.Condition {
	return func(v groupchat.View) bool { return v.LastSpeaker == participant }
}
