package model

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// The limits of [Values]. Each bracket that begins no value may cost a scan of the rest of the text. The bound allows
// several scans of the longest message.
const (
	maxValues = 16
	maxRead   = 16 << 20
)

// Values are the JSON values in a model's reply, the likeliest first, 16 at most. The whole reply is one, without white
// space, a byte order mark, <think>…</think> before it and the marks of a fenced block around it. Else the objects and
// lists in it are, from the last one backward: models put words around an answer, and some repeat themselves.
func Values(text string) []json.RawMessage {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "\ufeff"))
	if thought, ok := strings.CutPrefix(text, "<think>"); ok {
		_, text, _ = strings.Cut(thought, "</think>")
		text = strings.TrimSpace(text)
	}
	if fenced, ok := strings.CutPrefix(text, "```"); ok {
		if _, rest, ok := strings.Cut(fenced, "\n"); ok {
			text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
		}
	}
	if json.Valid([]byte(text)) {
		return []json.RawMessage{json.RawMessage(text)}
	}
	var values []json.RawMessage
	for read := 0; read < maxRead; {
		start := strings.IndexAny(text, "{[")
		if start < 0 {
			break
		}
		text = text[start:]
		rest := strings.NewReader(text)
		in := json.NewDecoder(io.LimitReader(rest, int64(maxRead-read)))
		var value json.RawMessage
		failed := in.Decode(&value) != nil
		read += len(text) - rest.Len()
		if failed {
			text = text[1:]
			continue
		}
		text = text[in.InputOffset():]
		if values = append(values, value); len(values) > maxValues {
			values = values[1:]
		}
	}
	slices.Reverse(values)
	return values
}

// Object is the first of [Values] that is an object; nil if there is none.
func Object(text string) json.RawMessage {
	for _, value := range Values(text) {
		if value[0] == '{' {
			return value
		}
	}
	return nil
}
