package openai

import (
	"bytes"
	"unicode/utf8"
)

// A plainShape has the bytes around the text of a plain chunk. Most servers write all chunks of a reply alike, so that
// only the text of the next one has to be read.
type plainShape struct {
	// up to the text's first quote and from its last one on, with them; before is empty while nothing is known
	before, after []byte
	reasoning     bool // the text is reasoning
}

// maxShape is the size in bytes of the largest chunk that becomes a shape.
const maxShape = 2 << 10

// keep keeps the shape of a plain chunk with its text at the offset at.
func (p *plainShape) keep(raw []byte, c plainChunk, at int) {
	if at == 0 || len(raw) > maxShape {
		return
	}
	text := c.text + c.reasoning
	p.before, p.after = append(p.before[:0], raw[:at]...), append(p.after[:0], raw[at+len(text):]...)
	p.reasoning = c.reasoning != ""
}

// read reads a chunk that has the shape; ok is false for all others.
func (p *plainShape) read(raw []byte) (c plainChunk, ok bool) {
	if len(p.before) == 0 || !bytes.HasPrefix(raw, p.before) || !bytes.HasSuffix(raw[len(p.before):], p.after) {
		return c, false
	}
	text := raw[len(p.before) : len(raw)-len(p.after)]
	if len(text) == 0 {
		return c, false // then another member may count, which is in the shape
	}
	ascii := true
	for _, b := range text {
		if b < ' ' || b == '"' || b == '\\' {
			return c, false
		}
		ascii = ascii && b < utf8.RuneSelf
	}
	if !ascii && !utf8.Valid(text) {
		return c, false
	}
	if p.reasoning {
		return plainChunk{reasoning: string(text)}, true
	}
	return plainChunk{text: string(text)}, true
}
