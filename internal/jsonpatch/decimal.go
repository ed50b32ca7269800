package jsonpatch

import (
	"strconv"
	"strings"
)

// A decimal is the exact value of a number: 0.digits times ten to the power of exponent. Equal numbers have equal
// decimals.
type decimal struct {
	negative bool
	digits   string // without zeros at either end; empty for zero
	exponent int64
	spelling string // of a number with an exponent beyond 18 digits, and nothing else
}

// parseDecimal reads a number of JSON in time linear in its length.
func parseDecimal(s string) decimal {
	digits, negative := strings.CutPrefix(s, "-")
	exponent := int64(0)
	if e := strings.IndexAny(digits, "eE"); e >= 0 {
		text := digits[e+1:]
		if digits = digits[:e]; strings.Trim(digits, "0.") == "" {
			return decimal{}
		}
		if exponent, _ = strconv.ParseInt(text, 10, 64); len(strings.TrimLeft(text, "+-0")) > 18 {
			return decimal{spelling: s}
		}
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent += int64(len(whole))
	digits = whole + fraction
	significant := strings.TrimLeft(digits, "0")
	exponent -= int64(len(digits) - len(significant))
	if significant = strings.TrimRight(significant, "0"); significant == "" {
		return decimal{}
	}
	return decimal{negative: negative, digits: significant, exponent: exponent}
}
