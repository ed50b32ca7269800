package teamfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Error has every mistake of a team file, in the file's order. It quotes no value of the environment, because that
// may be secret.
type Error struct {
	Problems []Problem // at least one
}

// Error returns the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// A Problem is one mistake in a team file, or one warning.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // from 1; columns count characters
	Column int    `json:"column"`
	// Path leads to the value, such as agents.desk.participants[0].type. It is empty for the whole file.
	Path string `json:"path,omitempty"`
	Text string `json:"text"` // the mistake, and how to correct it
}

// String returns "file:line:column: text (at path)". Editors can follow its beginning.
func (p Problem) String() string {
	text := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
	if p.Path != "" {
		text += " (at " + p.Path + ")"
	}
	return text
}

// A reader holds the state of reading one file: its values refer to it.
type reader struct {
	file                  string
	env                   func(string) (string, bool)
	nodes                 int // number of values so far
	guesses               int // number of words that were compared with the known ones
	problems              []Problem
	warnings              []Problem // of text that is valid and probably a mistake
	optionalModelSettings bool      // variables in modelSettings may be unset
	// asked, if set, is called with the keys that a mapping of some kind may have. Tests compare schemas with them.
	asked func(kind string, keys []string)
}

func (r *reader) badAt(line, column int, format string, args ...any) {
	p := Problem{File: r.file, Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
	r.problems = append(r.problems, p)
}

// err returns the problems as an error, or nil if there are none.
func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &Error{Problems: inOrder(r.problems)}
}

// inOrder sorts problems by their place in the file, and removes duplicates: a value may be read twice, and an alias
// repeats values at another path.
func inOrder(list []Problem) []Problem {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.CompactFunc(list, func(a, b Problem) bool {
		a.Path = b.Path
		return a == b
	})
}
