package typed

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/agui-gateway/gateway/state"
)

// maxText bounds the bytes of a message that are read as an answer.
const maxText = 2000

// Match returns the answer that the text clearly means, in the form of the question's schema, or nil.
func (q Question) Match(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if q.kind == words {
		return q.fit(text)
	}
	if len(text) > maxText {
		return nil
	}
	switch q.kind {
	case decision:
		if i := q.optionNamed(text); i >= 0 {
			return q.options[i].payload
		}
		answer := q.decide(text)
		if answer == nil && text != "" && q.approval() &&
			state.FitAnswer(q.schema, json.RawMessage(`"some words"`)) != nil {
			return q.fit(text) // a comment
		}
		return answer
	case choice:
		if i := q.choose(text); i >= 0 {
			return q.options[i].payload
		}
		return nil
	case form:
		return q.fit(text) // a number, for one
	default:
		return nil
	}
}

// fit returns the text itself as an answer.
func (q Question) fit(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return state.FitAnswer(q.schema, raw)
}

// decide recognises yes and no. The rest of an approval, such as edited arguments, cannot be typed.
func (q Question) decide(text string) json.RawMessage {
	decision, ok := decisions[strings.Join(split(text), " ")]
	if !ok || strings.Contains(text, "?") {
		return nil
	}
	answer := json.RawMessage("false")
	if decision {
		answer = json.RawMessage("true")
	}
	switch {
	case q.approval():
		return state.FitAnswer(q.schema, json.RawMessage(`{"approved":`+string(answer)+`}`))
	case readSchema(q.schema).answerType() == "boolean":
		return state.FitAnswer(q.schema, answer)
	default: // only the agent knows the form of a no
		return nil
	}
}

// approval reports whether answers to the question approve or decline something, such as a tool call.
func (q Question) approval() bool { return bytes.Contains(q.schema, []byte(`"approved"`)) }

// optionNamed returns the option with text as its whole name, or -1.
func (q Question) optionNamed(text string) int {
	phrase := strings.Join(split(text), " ")
	return q.only(func(o option) bool {
		return phrase != "" && slices.ContainsFunc(o.labels,
			func(label string) bool { return strings.Join(split(label), " ") == phrase })
	})
}

// only returns the option that matches, or -1 if none or several do.
func (q Question) only(matches func(option) bool) int {
	found := slices.IndexFunc(q.options, matches)
	if found >= 0 && slices.ContainsFunc(q.options[found+1:], matches) {
		return -1
	}
	return found
}

// choose returns the option that the text names or counts, or -1. Every other word has to be a filler used in requests:
// "not the second one" and "what does the second one cost?" choose nothing.
func (q Question) choose(text string) int {
	if strings.Contains(text, "?") {
		return -1
	}
	if i := q.optionNamed(text); i >= 0 {
		return i
	}
	all := split(text)
	significant := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return fillers[word] })
	rare := slices.DeleteFunc(slices.Clone(significant), q.isCommon())
	byName, byPlace := q.onlyNamed(significant), q.byPlace(all, significant)
	if byName < 0 {
		byName = q.onlyNamed(rare)
	}
	if byPlace < 0 && len(rare) > 0 {
		byPlace = q.byPlace(all, rare)
	}
	switch {
	case byName < 0:
		return byPlace
	case byPlace < 0 || byPlace == byName:
		return byName
	default:
		return -1 // "2" may be the second of these, or the one called "2 nights"
	}
}

// isCommon returns a function that recognises words of the question that do not distinguish its options.
func (q Question) isCommon() func(word string) bool {
	count := map[string]int{}
	for _, o := range q.options {
		for word := range o.words() {
			count[word]++
		}
	}
	inQuestion := split(q.message)
	return func(word string) bool { return count[word] != 1 && slices.Contains(inQuestion, word) }
}

// words are the words of all that an option is called.
func (o option) words() map[string]bool {
	words := map[string]bool{}
	for _, label := range o.labels {
		for _, word := range split(label) {
			words[word] = true
		}
	}
	return words
}

// onlyNamed returns the only option with names that contain all the words, or -1.
func (q Question) onlyNamed(words []string) int {
	return q.only(func(o option) bool {
		name := o.words()
		return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !name[word] })
	})
}

// byPlace returns the option at the position in the words, or the recommended one if they ask for that.
func (q Question) byPlace(all, significant []string) int {
	if len(significant) == 0 { // "one" is a filler in "the second one"
		significant = slices.DeleteFunc(slices.Clone(all), func(word string) bool { return word != "one" })
	}
	if len(significant) != 1 {
		return -1
	}
	place, ok := places[significant[0]]
	switch {
	case recommended[significant[0]]:
		return q.recommended
	case !ok || len(all) > 1 && significant[0] == "one" && !slices.Contains(all, "number") &&
		!slices.Contains(all, "option"):
		return -1
	case place == last:
		return len(q.options) - 1
	case place > len(q.options):
		return -1
	}
	return place - 1
}

// split returns the words of a text in lower case, without punctuation. "I'll" is one word.
func split(text string) []string {
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text))
	return strings.FieldsFunc(text,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}
