package typed

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/agui-gateway/gateway/state"
)

// maxText is how many bytes of a message are read to find out which answer it is.
const maxText = 2000

// Match returns the answer that the text is without doubt, as the question's schema takes it; nil if there is none. It looks at the
// text and the question alone.
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
		if i := q.named(text); i >= 0 {
			return q.options[i].payload
		}
		answer := q.decide(text)
		if answer == nil && text != "" && q.approval() && state.FitAnswer(q.schema, json.RawMessage(`"some words"`)) != nil {
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

// decide reads yes and no. The rest of an approval, such as other arguments, cannot be typed.
func (q Question) decide(text string) json.RawMessage {
	said, ok := decisions[strings.Join(split(text), " ")]
	if !ok || strings.Contains(text, "?") {
		return nil
	}
	answer := json.RawMessage("false")
	if said {
		answer = json.RawMessage("true")
	}
	switch {
	case q.approval():
		return state.FitAnswer(q.schema, json.RawMessage(`{"approved":`+string(answer)+`}`))
	case readSchema(q.schema).answerType() == "boolean":
		return state.FitAnswer(q.schema, answer)
	default: // what no would be, only its agent knows
		return nil
	}
}

// approval reports whether an answer says whether something is approved, as those about calls of tools do.
func (q Question) approval() bool { return bytes.Contains(q.schema, []byte(`"approved"`)) }

// named returns the option whose whole name the text is, or -1.
func (q Question) named(text string) int {
	said, found := strings.Join(split(text), " "), -1
	for i, o := range q.options {
		if said == "" || !slices.ContainsFunc(o.labels, func(label string) bool { return strings.Join(split(label), " ") == said }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// choose returns the option that the text names or counts, or -1. Every word has to belong to that, or to be one of the words with
// which people ask for something: "not the second one" and "what does the second one cost?" choose nothing.
func (q Question) choose(text string) int {
	if strings.Contains(text, "?") {
		return -1
	}
	if i := q.named(text); i >= 0 {
		return i
	}
	all := split(text)
	said := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return fillers[word] })
	rare := slices.DeleteFunc(slices.Clone(said), q.isCommon())
	byName, byPlace := q.onlyNamed(said), q.byPlace(all, said)
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

// isCommon tells the words that count as little as fillers: those of the question, unless they tell one option from the others.
func (q Question) isCommon() func(word string) bool {
	count := map[string]int{}
	for _, o := range q.options {
		for word := range o.words() {
			count[word]++
		}
	}
	asked := split(q.message)
	return func(word string) bool { return count[word] != 1 && slices.Contains(asked, word) }
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

// onlyNamed returns the only option in whose names all the words are, or -1.
func (q Question) onlyNamed(said []string) int {
	found := -1
	for i, o := range q.options {
		name := o.words()
		if len(said) == 0 || slices.ContainsFunc(said, func(word string) bool { return !name[word] }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// byPlace returns the option that the words count, or that they say was recommended.
func (q Question) byPlace(all, said []string) int {
	if len(said) == 0 { // "one" is a filler in "the second one"
		said = slices.DeleteFunc(slices.Clone(all), func(word string) bool { return word != "one" })
	}
	if len(said) != 1 {
		return -1
	}
	place, ok := places[said[0]]
	switch {
	case recommended[said[0]]:
		return q.recommended
	case !ok || len(all) > 1 && said[0] == "one" && !slices.Contains(all, "number") && !slices.Contains(all, "option"):
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
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}
