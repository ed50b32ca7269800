package english

import (
	"strings"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
)

// Words that reject the name after them, as in "anything but Zoe", and fillers, as in "don't want the Ritz".
var (
	denials = set("not no dont never without but except than avoid skip drop cancel from")
	passing = set("the a an my this that to want like need take have choose hotel flight airline")
)

// Pick returns the only option, of airlines or hotels of city, that text names, or "".
func Pick(text string, options []string, city *catalogue.City) string {
	words := split(text)
	var found []string
	for i, name := range options {
		if mentioned(words, nameKeys(options, i, city)) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// nameKeys returns the words for names[i] in a message: the whole name, and each of its distinctive words.
func nameKeys(names []string, i int, city *catalogue.City) []string {
	whole := fold(names[i])
	keys := []string{whole}
	for word := range strings.FieldsSeq(whole) {
		distinct := len(word) > 2 && !ordinary[word] && !hasWord(city.Name, word)
		for j, other := range names {
			distinct = distinct && (j == i || !hasWord(other, word))
		}
		if distinct {
			keys = append(keys, word)
		}
	}
	return keys
}

func hasWord(name, word string) bool { return newSentence(split(name)).has(word) }

// mentioned reports whether words have one of keys without rejecting it.
func mentioned(words []word, keys []string) bool {
	for _, key := range keys {
		n := strings.Count(key, " ") + 1
		for i := 0; i+n <= len(words); i++ {
			if joinKeys(words[i:i+n]) == key && !isNegated(words, i) {
				return true
			}
		}
	}
	return false
}

// isNegated reports whether the words before words[at] reject the name that begins there.
func isNegated(words []word, at int) bool {
	for i := at - 1; i >= 0 && !words[i+1].ended; i-- {
		key := words[i].key
		if denials[key] || key == "of" && i > 0 && words[i-1].key == "instead" {
			return true
		}
		if !passing[key] {
			return false
		}
	}
	return false
}
