package redact

import (
	"encoding/json"
	"regexp"
)

// tag matches markup, and scripts and styles with their contents.
var tag = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>`)

// Sentence finds what the body of an error says to people: in the JSON forms that servers use, or the text of a page.
func Sentence(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) == nil {
		if s := sentence(v, 0); s != "" {
			return s
		}
	}
	return tag.ReplaceAllString(string(body[:min(len(body), maxRead)]), " ")
}

// sentence is the one in v: a text, a member of an object that is one, or the first item of a list.
func sentence(v any, depth int) string {
	const deepest = 4
	if depth > deepest {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 {
			return sentence(v[0], depth+1)
		}
	case map[string]any:
		for _, member := range []string{"message", "msg", "error", "detail", "details", "error_description", "title"} {
			if s := sentence(v[member], depth+1); s != "" {
				return s
			}
		}
	}
	return ""
}
