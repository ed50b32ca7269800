package english

import (
	"strings"
	"unicode"
)

// maxWords limits the words of a message that are read. A request is at the beginning of a message.
const maxWords = 1000

type word struct {
	text  string // as typed, without the possessive
	key   string // folded
	upper bool   // begins with a capital letter
	ended bool   // a comma, a full stop or similar precedes it
	dash  bool   // a dash or an arrow precedes it
}

// split splits a message into words. It drops quotes and emphasis, and marks the word after other punctuation.
func split(text string) []word {
	var words []word
	var ended, dash bool
	runes := []rune(text)
	for i := 0; i < len(runes) && len(words) < maxWords; {
		r := runes[i]
		if isWordRune(r) {
			n := wordLength(runes[i:])
			if w, ok := newWord(string(runes[i : i+n])); ok {
				w.ended, w.dash = ended, dash
				words = append(words, w)
				ended, dash = false, false
			}
			i += n
			continue
		}
		switch {
		case unicode.Is(unicode.Pd, r) || r == '→' || r == '>':
			// A hyphen joins the parts of a name, a dash between spaces does not.
			dash = true
			ended = ended || r != '-' || i > 0 && unicode.IsSpace(runes[i-1])
		case r == '.' && len(words) > 0 && abbreviated[words[len(words)-1].key]:
		case r == '\n', !unicode.IsSpace(r) && !isQuote(r):
			ended = true
		}
		i++
	}
	return words
}

func newWord(text string) (word, bool) {
	for _, suffix := range []string{"'s", "’s", "ʼs", "'S", "’S"} {
		text = strings.TrimSuffix(text, suffix)
	}
	key := foldWord(text)
	if key == "" {
		return word{}, false
	}
	first := []rune(text)[0]
	return word{text: text, key: key, upper: unicode.IsUpper(first) || unicode.IsTitle(first)}, true
}

// wordLength is the number of runes of the word that runes begin with. Letters
// and digits are parted ("5days"); an apostrophe between letters belongs to them.
func wordLength(runes []rune) int {
	digits := unicode.IsDigit(runes[0])
	n := 1
	for ; n < len(runes); n++ {
		r := runes[n]
		if isApostrophe(r) && !digits && n+1 < len(runes) && unicode.IsLetter(runes[n+1]) {
			continue
		}
		if !isWordRune(r) || unicode.IsDigit(r) != digits {
			break
		}
	}
	return n
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

func isQuote(r rune) bool {
	return isApostrophe(r) || strings.ContainsRune("\"“”„«»‘‹›*_~", r)
}

// allCapitals reports whether all letters of the message are capitals. Capitals then do not mark names.
func allCapitals(words []word) bool {
	letters := false
	for _, w := range words {
		for _, r := range w.text {
			if unicode.IsLower(r) {
				return false
			}
			letters = letters || unicode.IsUpper(r)
		}
	}
	return letters
}

// A sentence answers which phrases a message contains.
type sentence string

func newSentence(words []word) sentence {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range words {
		b.WriteString(w.key)
		b.WriteByte(' ')
	}
	return sentence(b.String())
}

// has reports whether one of the folded phrases occurs, as whole words.
func (s sentence) has(phrases ...string) bool {
	for _, p := range phrases {
		if strings.Contains(string(s), " "+p+" ") {
			return true
		}
	}
	return false
}

// ends reports whether the sentence ends with one of the folded phrases.
func (s sentence) ends(phrases ...string) bool {
	for _, p := range phrases {
		if strings.HasSuffix(string(s), " "+p+" ") {
			return true
		}
	}
	return false
}

// meant is has without negated phrases, such as "don't start over".
func (s sentence) meant(phrases ...string) bool {
	for _, p := range phrases {
		if s.has(p) && !s.has("dont "+p, "not "+p, "never "+p, "no "+p) {
			return true
		}
	}
	return false
}
