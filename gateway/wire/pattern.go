package wire

import (
	"bytes"

	"github.com/agui-gateway/gateway/a2ui"
)

// A pattern is a text by which encoded events are told apart that have to be reshaped. Events of a megabyte are searched for it, and bytes.Contains
// looks for its first bytes, a quotation mark and a letter, of which JSON is full: it soon compares at every place.
type pattern struct {
	text string
	rare int // where in the text a byte is that such events seldom have
}

// What readers are sent in another form has one of these: surfaces of A2UI, messages of several parts, files that are inline in messages.
var (
	surfacePattern = pattern{`"activityType":"` + a2ui.ActivityType + `"`, len(`"activity`)}
	partsPattern   = pattern{`"content":[`, len(`"content":`)}
	inlinePattern  = pattern{`"source":{"type":"data"`, len(`"source":`)}
)

// in reports whether data has the pattern. Where its byte is not rare after all, package bytes is faster.
func (p pattern) in(data []byte) bool {
	found := 0
	for from := p.rare; from < len(data); from++ {
		at := bytes.IndexByte(data[from:], p.text[p.rare])
		if at < 0 {
			return false
		}
		from += at
		if start := data[from-p.rare:]; len(start) >= len(p.text) && string(start[:len(p.text)]) == p.text {
			return true
		}
		if found++; found > 16+from/64 {
			return bytes.Contains(data[from-p.rare:], []byte(p.text))
		}
	}
	return false
}
