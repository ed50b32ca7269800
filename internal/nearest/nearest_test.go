package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestGuess(t *testing.T) {
	t.Parallel()
	keys := []string{"name", "type", "tools", "manager", "instructions", "max_rounds", "round_robin"}
	for word, want := range map[string]string{
		"instrutions":               "instructions",
		"instrutcions":              "instructions",
		"manger":                    "manager",
		"tpye":                      "type",
		"tool":                      "tools",
		"maxRounds":                 "max_rounds",
		"Round-Robin":               "round_robin",
		"roundrobin":                "round_robin",
		"nme":                       "name",
		"goal":                      "",
		"a":                         "",
		"":                          "",
		"_":                         "",
		strings.Repeat("name", 1e4): "",
	} {
		if got := Guess(word, keys); got != want {
			t.Errorf("Guess(%.40q) = %q, want %q", word, got, want)
		}
	}
	if got := Guess("name", nil); got != "" {
		t.Errorf("Guess() among no words = %q, want none", got)
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	keys := []string{"when", "name", "tool_timeout", "tools", "type", "description"}
	if got, want := First("tool", keys, 3), []string{"tools", "tool_timeout", "type"}; !slices.Equal(got, want) {
		t.Errorf("First() = %q, want %q", got, want)
	}
	if got := First("tool", keys[:2], 5); len(got) != 2 {
		t.Errorf("First() of two words = %q, want both", got)
	}
}
