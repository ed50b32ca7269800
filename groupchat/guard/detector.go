package guard

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// A Detector finds one kind of thing in texts. It finds what looks like it and passes what can be checked, such as the
// digits of a card; it does not know whether a thing exists.
type Detector string

// The detectors.
const (
	Email Detector = "email" // addresses of e-mail
	Card  Detector = "card"  // numbers of payment cards, 13 to 19 digits that pass Luhn's check
	Phone Detector = "phone" // telephone numbers: +49 30 1234567, 0049…, 030/1234567, (555) 123-4567
	IBAN  Detector = "iban"  // numbers of bank accounts that pass the check of ISO 13616
	// keys and tokens of well-known forms, private keys, and what follows "password:", "api_key=" and the like
	Secret Detector = "secret"
)

// Detectors are all of them.
func Detectors() []Detector { return []Detector{Email, Card, Phone, IBAN, Secret} }

// A detection is how a detector works: what matches and passes check; tail matches the end of a text that may be the
// beginning of something.
type detection struct {
	matches *regexp.Regexp
	check   func(match string) int // how much of a match counts, 0 for none; nil counts all
	tail    *regexp.Regexp
	block   [2]string // beginning and end of a long match, which may begin earlier; empty if there is none
}

// maxTail is how many bytes at the end of a text are looked at for the beginning of something.
const maxTail = 1 << 10

// begins is where the beginning of something may be at the end of text; its length if there is none.
func (d detection) begins(text string) int {
	from := max(0, len(text)-maxTail)
	for from > 0 && from < len(text) && text[from]&0xC0 == 0x80 {
		from++
	}
	begins := len(text)
	if at := d.tail.FindStringIndex(text[from:]); at != nil {
		begins = from + at[0]
	}
	if at := strings.LastIndex(text, d.block[0]); d.block[0] != "" && at >= 0 {
		end := strings.Index(text[at:], d.block[1])
		if end < 0 || strings.Count(text[at+end:], "-----") < 2 {
			begins = min(begins, at)
		}
	}
	return begins
}

func (d detection) find(text string) [][2]int {
	var found [][2]int
	for _, at := range d.matches.FindAllStringIndex(text, -1) {
		n := at[1] - at[0]
		if d.check != nil {
			n = d.check(text[at[0]:at[1]])
		}
		if n > 0 {
			found = append(found, [2]int{at[0], at[0] + n})
		}
	}
	return found
}

const named = `(?:password|passwort|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token)`

var detections = map[Detector]detection{
	Email: {
		matches: regexp.MustCompile(`[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{` +
			`1,63})*\.[A-Za-z]{2,24}`),
		tail: regexp.MustCompile(`[A-Za-z0-9._%+\-]{1,64}(?:@[A-Za-z0-9.\-]{0,255})?$`),
	},
	Card: {
		matches: regexp.MustCompile(`\b\d(?:[ \-]?\d){12,18}\b`), check: whole(luhn),
		tail: regexp.MustCompile(`\b\d(?:[ \-]?\d){0,18}[ \-]?$`),
	},
	Phone: {
		matches: regexp.MustCompile(`(?:\+|\b00)[1-9](?:[ ()./\-]{0,2}\d){6,14}\b|\(?\b\d{3}\)?[ .\-]\d{3}[ ` +
			`.\-]\d{4}\b|\b0\d{2,4}[ /\-]\d{3,8}(?:[ \-]\d{2,5}){0,3}\b`),
		tail: regexp.MustCompile(`[+(]?(?:\b\d[\d ()./\-]{0,30})?$`),
	},
	IBAN: {
		matches: regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b`), check: iban,
		tail: regexp.MustCompile(`\b[A-Z]{1,2}(?:\d{1,2}(?: ?[A-Z0-9]){0,30} ?)?$`),
	},
	Secret: {
		matches: regexp.MustCompile(`\bsk-[A-Za-z0-9_\-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[opsur]_[A-Za-z0-9]{20,}` +
			`|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_\-]{16,}|\bxox[abprs]-[A-Za-z0-9\-]{10,}` +
			`|\bAIza[A-Za-z0-9_\-]{30,}|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*` +
			`|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:\s*[A-Za-z\-]+: [^\n]*\n)*[A-Za-z0-9+/=\\\r\n]*(?:-----END ` +
			`[A-Z ]{0,40}PRIVATE KEY-----)?` +
			`|(?i:\b` + named + `["']?\s{0,3}[:=]\s{0,3}["']?[^\s"',;]{4,})`),
		block: [2]string{"-----BEGIN ", "-----END "},
		tail: regexp.MustCompile(`-{1,5}(?:B[A-Z ]{0,60}-{0,4})?$|(?i:\b` + named +
			`["']?\s{0,3}(?:[:=]\s{0,3}["']?)?[^\s"',;]*)$|[A-Za-z0-9_.\-]+$`),
	},
}

func whole(ok func(string) bool) func(string) int {
	return func(match string) int {
		if ok(match) {
			return len(match)
		}
		return 0
	}
}

func luhn(number string) bool {
	sum, n := 0, 0
	for _, r := range slices.Backward([]byte(number)) {
		if r < '0' || r > '9' {
			continue
		}
		d := int(r - '0')
		if n++; n%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && strings.Trim(number, "0 -") != ""
}

// iban is how much of a match is the number of an account: words in capital letters may follow one.
func iban(match string) int {
	for end := len(match); end >= 15; end-- {
		if end < len(match) && match[end] != ' ' {
			continue
		}
		if validIBAN(strings.ReplaceAll(match[:end], " ", "")) {
			return end
		}
	}
	return 0
}

func validIBAN(number string) bool {
	if len(number) < 15 || len(number) > 34 {
		return false
	}
	var digits strings.Builder
	for _, r := range number[4:] + number[:4] {
		if r >= 'A' {
			digits.WriteString(big.NewInt(int64(r-'A') + 10).String())
		} else {
			digits.WriteRune(r)
		}
	}
	value, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(value, big.NewInt(97)).Int64() == 1
}
