package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/surrogate"
)

// A plainChunk is a chunk that does nothing but add to what the model says and thinks, as nearly all of them do.
type plainChunk struct {
	text, reasoning string // may hold halves of characters, see [surrogate.Text]
}

// readPlain reads a chunk in one pass, without the table of fields that a chunk of any shape needs. It takes only
// chunks with known members, each once and in the spelling of the API, with unambiguous values; ok is false for all
// others, which [chunkReader.add] reads as they are.
//
// At is where its text begins in raw; 0: it has none, several, or one with escapes.
func readPlain(raw []byte) (c plainChunk, at int, ok bool) {
	s := plainScanner{rest: raw}
	ok = s.object(func(name []byte) bool {
		switch string(name) {
		case "choices":
			return s.skip('[') && s.object(func(name []byte) bool { return s.choice(name, &c) }) && s.skip(']')
		case "id", "model", "service_tier", "system_fingerprint", "obfuscation", "provider":
			return s.null() || s.word() != nil
		case "object":
			return string(s.word()) == "chat.completion.chunk"
		case "created":
			return s.number() != nil
		default: // usage, error: null means none
			return plainNulls[string(name)] && s.null()
		}
	})
	s.space()
	if s.texts == 1 && s.behind > 0 {
		at = len(raw) - s.behind
	}
	return c, at, ok && len(s.rest) == 0
}

// plainNulls are the members that tell something unless they are null.
var plainNulls = map[string]bool{
	"usage": true, "error": true, // of a chunk
	"logprobs": true, "finish_reason": true, "stop_reason": true, "token_ids": true, // of a choice
	"refusal": true, "tool_calls": true, "function_call": true, "reasoning_details": true, // of a delta
}

// A plainScanner reads JSON from its front, as far as it has a form that is expected.
type plainScanner struct {
	rest   []byte
	texts  int // that are not empty
	behind int // the number of bytes after the opening quote of the last of them; 0: it has escapes
}

func (s *plainScanner) choice(name []byte, c *plainChunk) bool {
	switch string(name) {
	case "index":
		return string(s.number()) == "0"
	case "delta":
		var reasoning, thinking string
		ok := s.object(func(name []byte) (ok bool) {
			switch string(name) {
			case "role":
				return s.word() != nil
			case "content":
				c.text, ok = s.text()
			case "reasoning_content":
				reasoning, ok = s.text()
			case "reasoning":
				thinking, ok = s.text()
			default:
				return plainNulls[string(name)] && s.null()
			}
			return ok
		})
		if c.reasoning = reasoning; reasoning == "" { // some servers send both, and they are the same
			c.reasoning = thinking
		}
		return ok
	default:
		return plainNulls[string(name)] && s.null()
	}
}

// object reads an object that is not empty, and each member's value by value, which is given the name. A name that
// comes twice is not read.
func (s *plainScanner) object(value func(name []byte) bool) bool {
	var names [16][]byte
	if !s.skip('{') {
		return false
	}
	for n := range names {
		name := s.word()
		if name == nil || !s.skip(':') {
			return false
		}
		for _, earlier := range names[:n] {
			if bytes.Equal(earlier, name) {
				return false
			}
		}
		names[n] = name
		if !value(name) {
			return false
		}
		if !s.skip(',') {
			return s.skip('}')
		}
	}
	return false
}

func (s *plainScanner) space() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t' || s.rest[0] == '\n' || s.rest[0] == '\r') {
		s.rest = s.rest[1:]
	}
}

// skip passes over a character, and the space before it.
func (s *plainScanner) skip(c byte) bool {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *plainScanner) null() bool {
	s.space()
	rest, ok := bytes.CutPrefix(s.rest, []byte("null"))
	s.rest = rest
	return ok
}

// number reads a whole number that is not negative, or returns nil.
func (s *plainScanner) number() []byte {
	s.space()
	n := 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		n++
	}
	digits := s.rest[:n]
	s.rest = s.rest[n:]
	if n == 0 || n > 15 || n > 1 && digits[0] == '0' {
		return nil
	}
	return digits
}

// word reads a string without escapes and returns the bytes between its quotes, or nil.
func (s *plainScanner) word() []byte {
	quoted, escaped := s.quoted()
	if quoted == nil || escaped {
		return nil
	}
	return quoted[1 : len(quoted)-1]
}

func (s *plainScanner) text() (text string, ok bool) {
	if s.null() {
		return "", true
	}
	quoted, escaped := s.quoted()
	if quoted == nil {
		return "", false
	}
	if len(quoted) > len(`""`) {
		s.texts++
		s.behind = len(quoted) - 1 + len(s.rest)
	}
	if escaped {
		s.behind = 0
		var text surrogate.Text
		err := json.Unmarshal(quoted, &text)
		return string(text), err == nil
	}
	return string(quoted[1 : len(quoted)-1]), true
}

// quoted reads a string with its quotes, or returns nil if there is none, or one that is not UTF-8.
func (s *plainScanner) quoted() (quoted []byte, escaped bool) {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != '"' {
		return nil, false
	}
	ascii := true
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\\':
			escaped = true
			i++ // a quote that follows is no end
		case c == '"':
			quoted, s.rest = s.rest[:i+1], s.rest[i+1:]
			if !ascii && !utf8.Valid(quoted) {
				return nil, false
			}
			return quoted, escaped
		case c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}
