package redact

import (
	"net/url"
	"slices"
	"testing"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	u, err := url.Parse("https://ann:pa%20ss@tools.example/x?key=k1k2&v=1")
	if err != nil {
		t.Fatal(err)
	}
	got := Secrets(u, "Bearer a\"b/c", "true", "abc", "four", "")
	want := []string{`Bearer+a%22b%2Fc`, `Bearer%20a%22b%2Fc`, `Bearer a\"b/c`, `Bearer a"b/c`, "key=k1k2&v=1", `a%22b%2Fc`, `a\"b/c`, `a"b/c`, "pa ss", "pa+ss", "pa%20ss", "four", "k1k2"}
	for _, secret := range want {
		if !slices.Contains(got, secret) {
			t.Errorf("Secrets() lacks %q: %q", secret, got)
		}
	}
	for _, word := range []string{"true", "abc", "", "1"} {
		if slices.Contains(got, word) {
			t.Errorf("Secrets() has %q", word)
		}
	}
	if !slices.IsSortedFunc(got, func(a, b string) int { return len(b) - len(a) }) {
		t.Errorf("the longest is not the first: %q", got)
	}
}
