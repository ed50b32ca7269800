package english_test

import (
	"testing"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"San Francisco":     "San Francisco",
		"  san  francisco":  "San Francisco",
		"San-Francisco":     "San Francisco",
		"SF":                "San Francisco",
		"sfo":               "San Francisco",
		"NYC":               "New York",
		"new york city":     "New York",
		"Reykjavík":         "Reykjavik",
		"İstanbul":          "Istanbul",
		"Tōkyō":             "Tokyo",
		"To\u0304kyo\u0304": "Tokyo",
		"東京":                "Tokyo",
		"Rio":               "Rio de Janeiro",
		"ciudad de mexico":  "Mexico City",
		"LGA":               "New York",
		"Atlantis":          "",
		"":                  "",
		"San":               "",
	} {
		c, ok := english.Lookup(name)
		if ok != (want != "") || c.String() != want {
			t.Errorf("Lookup(%q) = %q, %t, want %q", name, c, ok, want)
		}
	}
}

// TestLookupFindsEveryCity also shows that no two cities share a name or an airport, which Lookup panics on.
func TestLookupFindsEveryCity(t *testing.T) {
	t.Parallel()
	for _, want := range catalogue.Cities() {
		for _, name := range append(want.Names(), want.Codes()...) {
			if got, _ := english.Lookup(name); got != want {
				t.Errorf("Lookup(%q) = %v, want %v", name, got, want)
			}
		}
	}
}
