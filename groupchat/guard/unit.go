package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An editorFunc judges one sentence or message, which is there as a whole.
type editorFunc func(text string) (string, error)

// A unit holds a text back until a sentence, or the message, is complete, and lets judge decide on it.
type unit struct {
	judge    editorFunc
	sentence bool
	held     strings.Builder
	passing  bool         // nothing is judged any more: the text was too long, and passes
	tooLong  func() error // of a message that is too long to be held; nil lets it pass
}

func (u *unit) push(piece string, last bool) (string, error) {
	if u.passing {
		return piece, nil
	}
	u.held.WriteString(piece)
	text := u.held.String()
	var goesOn strings.Builder
	for text != "" {
		ready := 0
		if u.sentence {
			ready = sentence(text)
			if ready == 0 && len(text) > longest {
				ready = wholeRunes(text)
			}
		}
		if ready == 0 && last {
			ready = len(text)
		}
		if ready == 0 {
			break
		}
		judged, err := u.judge(text[:ready])
		if err != nil {
			return "", err
		}
		goesOn.WriteString(judged)
		text = text[ready:]
	}
	if text != u.held.String() {
		u.held.Reset()
		u.held.WriteString(text)
	}
	if len(text) > MaxHeld {
		if u.tooLong != nil {
			return "", u.tooLong()
		}
		u.passing = true
		u.held.Reset()
		goesOn.WriteString(text)
	}
	return goesOn.String(), nil
}

// sentence is how long the first sentence of text is, with the space after it; 0 if it is not complete. A line is a
// sentence, too.
func sentence(text string) int {
	ended := false
	end := 0
	for i, r := range text {
		switch {
		case end > 0 && !unicode.IsSpace(r):
			return end
		case r == '\n', strings.ContainsRune("。！？", r):
			return i + utf8.RuneLen(r)
		case unicode.IsSpace(r):
			if ended || end > 0 {
				end = i + utf8.RuneLen(r)
			}
		case ended && strings.ContainsRune(`"')]»”’`, r):
		default:
			ended = strings.ContainsRune(".!?…", r)
		}
	}
	return end
}

// wholeRunes is how much of s is whole characters.
func wholeRunes(s string) int {
	for i := len(s) - 1; i >= 0 && i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if utf8.FullRuneInString(s[i:]) {
				return len(s)
			}
			return i
		}
	}
	return len(s)
}

// A chain is a sequence of editors.
type chain []editor

func (c chain) push(piece string, last bool) (string, error) {
	for _, e := range c {
		var err error
		if piece, err = e.push(piece, last); err != nil {
			return "", err
		}
	}
	return piece, nil
}
