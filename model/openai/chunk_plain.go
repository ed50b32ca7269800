package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/jsonscan"
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
	s := plainScanner{Scanner: jsonscan.New(raw), raw: raw}
	ok = s.object(func(name []byte) bool {
		switch string(name) {
		case "choices":
			return s.Take('[') && s.object(func(name []byte) bool { return s.choice(name, &c) }) && s.Take(']')
		case "id", "model", "service_tier", "system_fingerprint", "obfuscation", "provider":
			return s.Null() || s.word() != nil
		case "object":
			return string(s.word()) == "chat.completion.chunk"
		case "created":
			return s.number() != nil
		default: // usage, error: null means none
			return plainNulls[string(name)] && s.Null()
		}
	})
	if s.texts == 1 {
		at = s.start
	}
	return c, at, ok && s.End()
}

// plainNulls are the members that tell something unless they are null.
var plainNulls = map[string]bool{
	"usage": true, "error": true, // of a chunk
	"logprobs": true, "finish_reason": true, "stop_reason": true, "token_ids": true, // of a choice
	"refusal": true, "tool_calls": true, "function_call": true, "reasoning_details": true, // of a delta
}

// A plainScanner reads the parts of a plain chunk.
type plainScanner struct {
	jsonscan.Scanner
	raw   []byte
	texts int // texts that are not empty
	start int // the position after the opening quote of the last of them; 0: it has escapes
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
				return plainNulls[string(name)] && s.Null()
			}
			return ok
		})
		if c.reasoning = reasoning; reasoning == "" { // some servers send both, and they are the same
			c.reasoning = thinking
		}
		return ok
	default:
		return plainNulls[string(name)] && s.Null()
	}
}

// object reads an object that is not empty. No name may come twice.
func (s *plainScanner) object(value func(name []byte) bool) bool {
	var names [16][]byte
	n := 0
	return s.Object(func(name []byte) bool {
		if n == len(names) {
			return false
		}
		for _, earlier := range names[:n] {
			if bytes.Equal(earlier, name) {
				return false
			}
		}
		names[n] = name
		n++
		return value(name)
	}) && n > 0
}

// number reads a whole number that is not negative, or returns nil.
func (s *plainScanner) number() []byte {
	digits, ok := s.Number()
	if !ok || len(digits) > 15 {
		return nil
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return nil
		}
	}
	return digits
}

// word reads a string without escapes and returns the bytes between its quotes, or nil.
func (s *plainScanner) word() []byte {
	word, escaped, ok := s.String()
	if !ok || escaped {
		return nil
	}
	return word
}

func (s *plainScanner) text() (text string, ok bool) {
	if s.Peek() == 'n' {
		return "", s.Null()
	}
	inner, escaped, ok := s.String()
	if !ok || !utf8.Valid(inner) {
		return "", false
	}
	from := s.Offset() - len(`"`) - len(inner)
	if len(inner) > 0 {
		s.texts++
		s.start = from
	}
	if !escaped {
		return string(inner), true
	}
	s.start = 0
	var halves surrogate.Text
	err := json.Unmarshal(s.raw[from-len(`"`):s.Offset()], &halves)
	return string(halves), err == nil
}
