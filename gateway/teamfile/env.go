package teamfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// environmentName is what a variable of the environment may be called in a team file.
var environmentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// bareVariable matches a variable as shells write it. In a team file it is text.
var bareVariable = regexp.MustCompile(`\$[A-Za-z_][A-Za-z0-9_]*`)

// warnOfBare notes variables without braces that are probably meant as variables: one that is the whole value, one that follows a single
// word such as Bearer, and one that is set in the environment.
func (r *reader) warnOfBare(n *node) {
	words := strings.Fields(n.text)
	for _, name := range bareVariable.FindAllString(n.text, -1) {
		_, set := r.env(name[1:])
		if set || len(words) <= 2 && words[len(words)-1] == name && strings.ToUpper(name) == name {
			r.warn(n, "%s is taken as it is written; write ${%s} for the variable of the environment", name, name[1:])
		}
	}
}

// warn adds a warning at n: a valid part of the file that is probably a mistake.
func (r *reader) warn(n *node, format string, args ...any) {
	r.warnings = append(r.warnings, Problem{File: r.file, Line: n.line, Column: n.column, Text: fmt.Sprintf(format, args...)})
}

// expand replaces the variables in the text of n: ${NAME}, which has to be set, and ${NAME:-default}, whose default is used for an
// empty value too. A name with a dot belongs to script agents (${answers.size}) and is not replaced. $${ stands for the characters ${.
// Values are not expanded again.
func (r *reader) expand(n *node) (text string, expanded bool) {
	r.warnOfBare(n)
	var b strings.Builder
	rest := n.text
	for {
		before, after, found := strings.Cut(rest, "${")
		b.WriteString(before)
		if !found {
			return b.String(), expanded
		}
		inside, next, closed := strings.Cut(after, "}")
		if strings.HasSuffix(before, "$") {
			b.WriteString("{") // before ends in the dollar
			rest = after
			continue
		}
		if !closed {
			r.bad(n, "a ${ without its }; write $${ for the characters themselves")
			return b.String(), expanded
		}
		rest = next
		name, otherwise, hasDefault := strings.Cut(inside, ":-")
		switch {
		case environmentName.MatchString(name):
			b.WriteString(r.variable(n, name, otherwise, hasDefault))
			expanded = true
		case strings.Contains(name, "."):
			b.WriteString("${" + inside + "}")
		default:
			r.bad(n, "a ${…} that names no variable of the environment; write ${NAME} or ${NAME:-default}, or $${ for the characters themselves")
		}
	}
}

// modelSettings are the variables that are settings of the gateway too. In the description of a model they may be unset, because one
// server needs a key and another a URL, and the same file shall work with both.
var modelSettings = []string{"OPENAI_BASE_URL", "OPENAI_API_KEY"}

// variable returns the value of a variable of the environment.
func (r *reader) variable(n *node, name, otherwise string, hasDefault bool) string {
	value, set := r.env(name)
	switch {
	case hasDefault && value == "":
		return otherwise
	case !set && r.optionalModelSettings && slices.Contains(modelSettings, name):
	case !set:
		r.bad(n, "${%s} is not set in the environment; set it, or write ${%s:-default}", name, name)
	}
	return value
}
