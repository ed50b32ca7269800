package house

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	threatRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	shownBy   = regexp.MustCompile("Shown by ((?:`[^`]+`[,\\s]*(?:and )?)+)")
)

// TestSecurityIsTested holds SECURITY.md to what it says: each row of its tables names tests, and they exist.
func TestSecurityIsTested(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page := read(t, root, "SECURITY.md")
	var claims [][2]string // claims and their tests
	for _, row := range threatRow.FindAllStringSubmatch(page, -1) {
		if row[3] != "shown by" && !strings.HasPrefix(row[3], "---") {
			claims = append(claims, [2]string{row[1], row[3]})
		}
	}
	if len(claims) < 20 {
		t.Fatalf("SECURITY.md has %d rows: this test has lost its way", len(claims))
	}
	for _, sentence := range shownBy.FindAllStringSubmatch(page, -1) {
		claims = append(claims, [2]string{sentence[0], sentence[1]})
	}
	for _, c := range claims {
		tests := orchestrationTest.FindAllStringSubmatch(c[1], -1)
		if len(tests) == 0 {
			t.Errorf("%q names no test", c[0])
		}
		for _, test := range tests {
			if why := missingTest(t, root, test[1]); why != "" {
				t.Errorf("%q: %s: %s", c[0], test[1], why)
			}
		}
	}
}
