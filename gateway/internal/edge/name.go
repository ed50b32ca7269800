package edge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName returns the problem of the name of a principal or a role, or "". Names are compared byte by byte. So
// CheckName refuses white space, which other programs may trim, and invisible characters.
func CheckName(name string, most int) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > most:
		return fmt.Sprintf("has %d bytes, more than %d", len(name), most)
	case !utf8.ValidString(name): // as JSON, two such names could be equal
		return "is not UTF-8"
	case strings.Trim(name, " ") != name, strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "has white space or control characters"
	}
	return ""
}
