package teamfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Error is everything that is wrong with a team file, in the file's order. No values that may be secret
// are in it: what came from the environment is never quoted.
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

// A Problem is one mistake in a team file, or what may be one.
type Problem struct {
	File         string
	Line, Column int    // from 1; columns count characters
	Text         string // what is wrong, and how to mend it
}

// String returns "file:line:column: text", which editors can follow.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// bad notes a problem at n.
func (r *reader) bad(n *node, format string, args ...any) {
	r.badAt(n.line, n.column, format, args...)
}

func (r *reader) badAt(line, column int, format string, args ...any) {
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Column: column, Text: fmt.Sprintf(format, args...)})
}

// err is everything noted, or nil.
func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &Error{Problems: inOrder(r.problems)}
}

// inOrder is what was noted in the file's order, and once where a value was read twice.
func inOrder(list []Problem) []Problem {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(list)
}
