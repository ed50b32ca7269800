package redact

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/internal/clip"
)

// Mark replaces removed text.
const Mark = "•••"

// Bounds of the text that is read and kept, in bytes.
const (
	maxRead = 4 << 10
	maxKept = 300
)

// From these lengths on, in bytes, a passage that a text has in common with a secret, or with the request, is removed.
// A shorter secret is removed as a whole, unless it is shorter than the second length: logs without "1" and "true"
// cannot be read.
const (
	secretPassage, shortestSecret = 8, 4
	toldPassage, shortestTold     = 16, 8
)

// Line returns a server's text for the log, without the secrets and the texts of the request.
func Line(text string, secrets, told []string) string {
	if len(text) > maxRead {
		text = text[:maxRead]
	}
	text = oneLine(text)
	hidden := make([]bool, len(text))
	for _, s := range secrets {
		hide(hidden, text, s, secretPassage, shortestSecret)
	}
	for _, s := range told {
		hide(hidden, text, oneLine(s), toldPassage, shortestTold)
	}
	for _, pattern := range keys {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			cover(hidden, at[2], at[3])
		}
	}
	return clip.To(masked(text, hidden), maxKept)
}

// keys are patterns of what looks like a secret: their first group is.
var keys = []*regexp.Regexp{
	regexp.MustCompile(`\b((?i:sk|pk|rk|key|ghp|gho|ghs|glpat|xox[a-z])[-_][A-Za-z0-9_-]{6,})`),
	regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([^\s"',;]+)`),
	regexp.MustCompile(`\b(eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)*)`),
	regexp.MustCompile(`(?i)(?:api[-_ ]?key|token|secret|passw(?:or)?d|authorization)` +
		`["']?\s*[:=]\s*["']?([^\s"',;&]{4,})`),
	regexp.MustCompile(`(?i)\bhttps?://([^\s/@"']+)@`),
	regexp.MustCompile(`(?i)\bhttps?://[^\s?"']*\?([^\s"']+)`),
	regexp.MustCompile(longKey),
}

// longKey matches a long run of letters and digits: no word is like that.
const longKey = `([A-Za-z0-9_+/=]*(?:[A-Za-z][A-Za-z0-9_+=]{10,}[0-9]|` +
	`[0-9][A-Za-z0-9_+=]{10,}[A-Za-z])[A-Za-z0-9_+=]{8,})`

// URL returns where u leads, without user, query, fragment, and what in its path looks like a key.
func URL(u *url.URL) string {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, s := range segments {
		if keyLike.MatchString(s) {
			segments[i] = Mark
		}
	}
	return u.Scheme + "://" + u.Host + strings.Join(segments, "/")
}

var keyLike = regexp.MustCompile(longKey)

// oneLine is text with white space and control characters as single spaces.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// hide covers the passages of at least n bytes that text has in common with s, or all of s where that is shorter.
func hide(hidden []bool, text, s string, n, least int) {
	if len(s) < n {
		if len(s) < least {
			return
		}
		n = len(s)
	}
	if len(text) < n {
		return
	}
	common := make(map[string]bool, len(text))
	// passages of text, by a hash: a conversation may be long, and most of it has nothing in common with text
	var begins [1 << 16]bool
	for i := 0; i+n <= len(text); i++ {
		common[text[i:i+n]] = false
		begins[hashed(text[i:])] = true
	}
	for i := 0; i+n <= len(s); i++ {
		if !begins[hashed(s[i:])] {
			continue
		}
		if _, ok := common[s[i:i+n]]; ok {
			common[s[i:i+n]] = true
		}
	}
	for i := 0; i+n <= len(text); i++ {
		if common[text[i:i+n]] {
			cover(hidden, i, i+n)
		}
	}
}

// hashed is a hash of the first four bytes of s.
func hashed(s string) uint16 {
	const spread = 2654435761
	return uint16((uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) * spread >> 16)
}

func cover(hidden []bool, from, to int) {
	for i := max(from, 0); i < to; i++ {
		hidden[i] = true
	}
}

// masked is text with a mark for each run of hidden bytes. A letter that is hidden in part is hidden.
func masked(text string, hidden []bool) string {
	var b strings.Builder
	before := false
	for i, r := range text {
		now := false
		for j := i; j < i+max(utf8.RuneLen(r), 1) && j < len(hidden); j++ {
			now = now || hidden[j]
		}
		switch {
		case now && !before:
			b.WriteString(Mark)
		case !now:
			b.WriteRune(r)
		}
		before = now
	}
	return b.String()
}
