package auth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
)

// BenchmarkKeys is what a request costs with a keys file of so many lines, once the file has not changed for a while.
func BenchmarkKeys(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var lines strings.Builder
			for i := range n {
				lines.WriteString(lineOf(fmt.Sprintf("name-%d", i), fmt.Sprintf("key-%d", i)) + "\n")
			}
			path, old := filepath.Join(b.TempDir(), "keys"), time.Now().Add(-time.Hour)
			if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
				b.Fatal(err)
			}
			if err := os.Chtimes(path, old, old); err != nil {
				b.Fatal(err)
			}
			keys, err := OpenKeys(KeysOptions{File: path})
			if err != nil {
				b.Fatal(err)
			}
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/", nil)
			r.Header.Set("X-API-Key", "key-1")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := keys.Principal(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTokens measures requests with tokens of each kind of key, and with a wrong signature.
func BenchmarkTokens(b *testing.B) {
	p, c := pairs(), newClock()
	i := newIssuer(b, jwkOf(b, p.rsa, "rsa"), jwkOf(b, p.p256, "p256"), jwkOf(b, p.ed, "ed"))
	j := newTokens(b, i, c)
	wrong := sign(b, p.rsa2, jwa.RS256(), "rsa", claimsAt(i, c))
	for name, token := range map[string]string{
		"RS256": sign(b, p.rsa, jwa.RS256(), "rsa", claimsAt(i, c)), "ES256": sign(b, p.p256, jwa.ES256(), "p256", claimsAt(i, c)),
		"EdDSA": sign(b, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c)), "wrong": wrong,
	} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := j.Principal(r); (err == nil) != (token != wrong) {
					b.Fatal(err)
				}
			}
		})
	}
}
