package main

import (
	"bytes"
	"io"
	"unicode"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/chat"
)

// An escapingWriter writes lines of JSON. It escapes control and format characters, such as U+202E, which encoding/json
// leaves as they are. Without that a thread's id could change how a terminal shows the line.
type escapingWriter struct{ w io.Writer }

// Write writes p, which has whole characters. The count is that of p.
func (e escapingWriter) Write(p []byte) (int, error) {
	if !bytes.ContainsFunc(p, hidden) {
		return e.w.Write(p)
	}
	_, err := io.WriteString(e.w, chat.Escape(string(p), hidden))
	return len(p), err
}

// hidden reports whether r is a character without a shape. JSON has line breaks and tabs between values.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}
