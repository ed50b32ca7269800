package wire

import (
	"bytes"

	"github.com/agui-gateway/gateway/a2ui"
)

// A pattern detects encoded events that have to be converted. Events may have a megabyte, and bytes.Contains is slow on
// them: it looks for the first bytes, a quotation mark and a letter, which are everywhere in JSON.
type pattern struct {
	text string
	rare int // position in text of a byte that is rare in such events
}

// Every event that may have to be converted contains one of these: A2UI surfaces, multipart messages, inline files.
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
