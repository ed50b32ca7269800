package chat

import (
	"io"
	"strings"
)

// A style is the parameter of an escape sequence for the style of a text.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	speech style = "1;36" // the speaker
	asking style = "1;33" // decisions for a person
	wrong  style = "31"
)

// A screen writes to a terminal or to the output of a program. Its input must be clean. Its first error is sticky.
type screen struct {
	w      io.Writer
	colour bool
	within bool // the last line is not complete
	err    error
}

// text writes text as it comes.
func (s *screen) text(text string, as style) {
	if text == "" || s.err != nil {
		return
	}
	s.within = !strings.HasSuffix(text, "\n")
	if s.colour && as != plain {
		text = "\x1b[" + string(as) + "m" + text + "\x1b[0m"
	}
	_, s.err = io.WriteString(s.w, text)
}

// line begins a new line if need be, and writes one.
func (s *screen) line(text string, as style) {
	s.fresh()
	s.text(text, as)
	s.text("\n", plain)
}

func (s *screen) fresh() {
	if s.within {
		s.text("\n", plain)
	}
}
