package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/agui"
)

// editJSON edits every text in raw, and every number with digits that match; it returns raw itself if nothing changes,
// so that the spelling stays. Invalid JSON is edited as one text.
func editJSON(raw string, edit editorFunc) (string, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(raw)))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil || d.Decode(new(any)) != io.EOF {
		return edit(raw)
	}
	changed := false
	value, err := editValue(value, edit, &changed)
	if err != nil || !changed {
		return raw, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "", err
	}
	return string(bytes.TrimRight(out.Bytes(), "\n")), nil
}

func editValue(value any, edit editorFunc, changed *bool) (any, error) {
	text := func(s string, same any) (any, error) {
		edited, err := edit(s)
		if err != nil || edited == s {
			return same, err
		}
		*changed = true
		return edited, nil
	}
	var err error
	switch v := value.(type) {
	case string:
		return text(v, v)
	case json.Number:
		return text(v.String(), v)
	case []any:
		for i := range v {
			if v[i], err = editValue(v[i], edit, changed); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = editValue(v[name], edit, changed); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// editRaw is editJSON for a value of an event; nil stays nil.
func editRaw(raw json.RawMessage, edit editorFunc) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	edited, err := editJSON(string(raw), edit)
	if err != nil || edited == string(raw) {
		return raw, err
	}
	if !json.Valid([]byte(edited)) {
		return nil, errors.New("guard: an event is no JSON any more")
	}
	return json.RawMessage(edited), nil
}

// editContent edits the texts of a message or result.
func editContent(c agui.Content, edit editorFunc) (agui.Content, error) {
	if parts, ok := c.Parts(); ok {
		edited := make([]agui.Part, len(parts))
		for i, p := range parts {
			var err error
			if p.Text, err = edit(p.Text); err != nil {
				return c, err
			}
			edited[i] = p
		}
		return agui.PartsContent(edited...), nil
	}
	if object, ok := c.Object(); ok {
		raw, err := editRaw(object, edit)
		return agui.ObjectContent(raw), err
	}
	if c.IsZero() {
		return c, nil
	}
	text, err := editJSON(c.Text(), edit) // results often are JSON
	return agui.TextContent(text), err
}

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
