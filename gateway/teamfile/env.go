package teamfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// environmentName matches the names of variables of the environment in a team file.
var environmentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// bareVariable matches a variable as shells write it. In a team file it is text.
var bareVariable = regexp.MustCompile(`\$[A-Za-z_][A-Za-z0-9_]*`)

// warnOfBare notes variables without braces that are probably meant as variables: one that is the whole value, one that
// follows a single word such as Bearer, and one that is set in the environment.
func (v *Value) warnOfBare() {
	words := strings.Fields(v.text)
	for _, name := range bareVariable.FindAllString(v.text, -1) {
		_, set := v.r.env(name[1:])
		if set || len(words) <= 2 && words[len(words)-1] == name && strings.ToUpper(name) == name {
			v.warn("%s is taken as it is written; write ${%s} for the variable of the environment", name, name[1:])
		}
	}
}

// expand replaces the variables in the text of a scalar: ${NAME}, which has to be set, and ${NAME:-default}, where the
// default replaces an empty value too. A name with a dot belongs to script agents (${answers.size}) and is not
// replaced. $${ means the characters ${. Values are not expanded again.
func (v *Value) expand() (text string, expanded bool) {
	v.warnOfBare()
	var b strings.Builder
	rest := v.text
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
			v.Bad("a ${ without its }; write $${ for the characters themselves")
			return b.String(), expanded
		}
		rest = next
		name, otherwise, hasDefault := strings.Cut(inside, ":-")
		switch {
		case environmentName.MatchString(name):
			b.WriteString(v.variable(name, otherwise, hasDefault))
			expanded = true
		case strings.Contains(name, "."):
			b.WriteString("${" + inside + "}")
		default:
			v.Bad("a ${…} that names no variable of the environment; write ${NAME} or ${NAME:-default}, " +
				"or $${ for the characters themselves")
		}
	}
}

// modelSettings are the variables that are settings of the gateway too. In the description of a model they may be
// unset: one server needs a key and another a URL, and the same file works with both.
var modelSettings = []string{"OPENAI_BASE_URL", "OPENAI_API_KEY"}

// variable returns the value of a variable of the environment.
func (v *Value) variable(name, otherwise string, hasDefault bool) string {
	value, set := v.r.env(name)
	switch {
	case hasDefault && value == "":
		return otherwise
	case !set && v.r.optionalModelSettings && slices.Contains(modelSettings, name):
	case !set:
		hint := ""
		if name == strings.ToLower(name) {
			hint = fmt.Sprintf(", or {{state:/%s}} in a text for the shared state", name)
		}
		v.Bad("${%s} is not set in the environment; set it, or write ${%s:-default}%s", name, name, hint)
	}
	return value
}
