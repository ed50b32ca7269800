package limit

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestReached(t *testing.T) {
	t.Parallel()
	cause := errors.New("too many")
	err := fmt.Errorf("request: %w", Reached(Runs, cause))
	if name, ok := Of(err); !ok || name != Runs || !errors.Is(err, cause) || err.Error() != "request: too many" {
		t.Errorf("Of(%v) = %q, %v", err, name, ok)
	}
	if name, ok := Of(cause); ok {
		t.Errorf("Of(%v) = %q", cause, name)
	}
	if err := Reached(Runs, nil); err != nil {
		t.Errorf("Reached(nil) = %v", err)
	}
}

// TestLimitsAreDocumented holds the names against docs/metrics.md, both ways.
func TestLimitsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- limits -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var documented []Name
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| \\S").FindAllStringSubmatch(table, -1) {
		if row[1] != "limit" {
			documented = append(documented, Name(row[1]))
		}
	}
	if !slices.Equal(documented, Names) {
		t.Errorf("documented %v, there are %v", documented, Names)
	}
}
