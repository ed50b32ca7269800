package auth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
)

// TestIssuersThatAnswerBadly: none of them gets a token accepted, delays a request longer than readTime, or takes more
// memory than the limits.
func TestIssuersThatAnswerBadly(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	text := func(s string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { _, _ = w.Write([]byte(s)) }
	}
	endless := func(w http.ResponseWriter) {
		for err := error(nil); err == nil; {
			_, err = w.Write([]byte(strings.Repeat(" ", 4096)))
		}
	}
	var many strings.Builder
	for n := range maxKeys + 1 {
		fmt.Fprintf(&many, `,{"kty":"OKP","crv":"Ed25519","kid":"k%d","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`, n)
	}
	for _, tt := range []struct {
		name, path string
		serve      func(i *issuer) func(http.ResponseWriter)
		logged     string
	}{
		{"the document is of another issuer", "/realm" + discovery, func(i *issuer) func(http.ResponseWriter) {
			return text(`{"issuer":"https://evil.example","jwks_uri":"` + i.URL + keysPath + `"}`)
		}, "another issuer"},
		{"the document has the issuer with a slash", "/realm" + discovery, func(i *issuer) func(http.ResponseWriter) {
			return text(`{"issuer":"` + i.name() + `/","jwks_uri":"` + i.URL + keysPath + `"}`)
		}, "another issuer"},
		{"the document is HTML", "/realm" + discovery, func(*issuer) func(http.ResponseWriter) { return text("<html>") }, "not JSON"},
		{"the document has no keys", "/realm" + discovery, func(i *issuer) func(http.ResponseWriter) { return text(`{"issuer":"` + i.name() + `"}`) }, "jwks_uri"},
		{"the keys are a file", "/realm" + discovery, func(i *issuer) func(http.ResponseWriter) {
			return text(`{"issuer":"` + i.name() + `","jwks_uri":"file:///etc/passwd"}`)
		}, "jwks_uri"},
		{"the keys are at the metadata of a cloud", "/realm" + discovery, func(i *issuer) func(http.ResponseWriter) {
			return text(`{"issuer":"` + i.name() + `","jwks_uri":"http://169.254.169.254/latest/meta-data"}`)
		}, "which is refused"},
		{"the keys are at a link-local address", "/realm" + discovery, func(i *issuer) func(http.ResponseWriter) {
			return text(`{"issuer":"` + i.name() + `","jwks_uri":"http://[fe80::1%25lo]/keys"}`)
		}, "which is refused"},
		{"a huge document", "/realm" + discovery, func(*issuer) func(http.ResponseWriter) { return endless }, "more than 65536 bytes"},
		{"a huge key set", keysPath, func(*issuer) func(http.ResponseWriter) { return endless }, "more than 262144 bytes"},
		{"too many keys", keysPath, func(*issuer) func(http.ResponseWriter) { return text(`{"keys":[` + many.String()[1:] + `]}`) }, "more than 100 keys"},
		{"huge headers", keysPath, func(*issuer) func(http.ResponseWriter) {
			return func(w http.ResponseWriter) { w.Header().Set("X-Pad", strings.Repeat("x", 1<<20)) }
		}, keysPath},
		{"no keys", keysPath, func(*issuer) func(http.ResponseWriter) { return text(`{"keys":[]}`) }, "no key that may sign"},
		{"only a secret", keysPath, func(*issuer) func(http.ResponseWriter) {
			return text(`{"keys":[{"kty":"oct","kid":"ed","k":"c2VjcmV0"}]}`)
		}, "no key that may sign"},
		{"a key set that is none", keysPath, func(*issuer) func(http.ResponseWriter) { return text(`[1]`) }, "cannot be read"},
		{"deep JSON", keysPath, func(*issuer) func(http.ResponseWriter) {
			return text(`{"keys":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`)
		}, "cannot be read"},
		{"an error", keysPath, func(*issuer) func(http.ResponseWriter) {
			return func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }
		}, "answers 500"},
		{"a redirect", keysPath, func(i *issuer) func(http.ResponseWriter) {
			return func(w http.ResponseWriter) {
				w.Header().Set("Location", i.URL+"/elsewhere")
				w.WriteHeader(http.StatusFound)
			}
		}, "answers 302"},
		{"a redirect of the document", "/realm" + discovery, func(i *issuer) func(http.ResponseWriter) {
			return func(w http.ResponseWriter) {
				w.Header().Set("Location", i.URL+"/elsewhere")
				w.WriteHeader(http.StatusPermanentRedirect)
			}
		}, "answers 308"},
		{"an answer that breaks off", keysPath, func(*issuer) func(http.ResponseWriter) {
			return func(w http.ResponseWriter) {
				w.Header().Set("Content-Length", "1000")
				_, _ = w.Write([]byte(`{"keys":[`))
			}
		}, "breaks off"},
		{"a connection that is cut", keysPath, func(*issuer) func(http.ResponseWriter) {
			return func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
		}, keysPath},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log lockedLog
			i := newIssuer(t, jwkOf(t, p.ed, "ed"))
			i.instead(tt.path, tt.serve(i))
			j := newTokens(t, i, c, func(o *JWTOptions) { o.Log = log.logger() })
			got, err := ask(t, j, sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c)))
			wantUnknown(t, "a token", got, err, "keys cannot be read")
			if s := log.String(); !strings.Contains(s, tt.logged) || len(s) > 2000 {
				t.Errorf("the log does not say %q, or too much:\n%.3000s", tt.logged, s)
			}
			i.mu.Lock()
			defer i.mu.Unlock()
			if i.asked["/elsewhere"] != 0 {
				t.Error("a redirect was followed")
			}
		})
	}
}

// A hanging server takes requests and answers none.
type hanging struct{ asked atomic.Int64 }

func (h *hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	h.asked.Add(1)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestAReadingHasAnEnd however long the provider takes.
func TestAReadingHasAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &hanging{}
		p, err := newProvider(JWTOptions{Issuer: "https://issuer.invalid", Client: &http.Client{Transport: server}}, algorithms)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if keys, err := p.read(t.Context()); err == nil || time.Since(begun) != readTime || server.asked.Load() != 1 {
			t.Errorf("read() = %v, %v after %s", keys, err, time.Since(begun))
		}
	})
}

// TestAKeySetOfItsOwn is read without discovery, also of an issuer that is no URL.
func TestAKeySetOfItsOwn(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	i := newIssuer(t, jwkOf(t, p.ed, "ed"))
	j := newTokens(t, i, c, func(o *JWTOptions) { o.Issuer, o.KeySet = "accounts.example", i.URL+keysPath })
	got, err := ask(t, j, sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "iss", "accounts.example")))
	if err != nil || got.ID != "jwt:accounts.example|ada" || i.asked["/realm"+discovery] != 0 {
		t.Errorf("Principal() = %v, %v; discovery was asked %d times", got, err, i.asked["/realm"+discovery])
	}
	got, err = ask(t, j, sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c)))
	wantRefused(t, "another issuer's token", got, err, "another issuer")
}

// TestAnIssuerOverTLS has to show a certificate that is trusted, and its keys have to come the same way.
func TestAnIssuerOverTLS(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	plain := newIssuer(t, jwkOf(t, p.ed, "ed"))
	i := &issuer{keys: []any{jwkOf(t, p.ed, "ed")}, serve: map[string]func(http.ResponseWriter){}, asked: map[string]int{}}
	i.Server = httptest.NewUnstartedServer(i)
	i.Config.ErrorLog = nil
	i.StartTLS()
	t.Cleanup(i.Close)
	token := sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c))
	trusting := func(o *JWTOptions) { o.Client = i.Client() }

	if got, err := ask(t, newTokens(t, i, c, trusting), token); err != nil || got.ID == "" {
		t.Errorf("a token of an issuer with a certificate that is trusted: %v", err)
	}
	var log lockedLog
	got, err := ask(t, newTokens(t, i, c, func(o *JWTOptions) { o.Log = log.logger() }), token)
	wantUnknown(t, "a token of an issuer with an unknown certificate", got, err, "keys cannot be read")
	if !strings.Contains(log.String(), "certificate") {
		t.Errorf("the log does not say why:\n%s", log.String())
	}
	i.instead("/realm"+discovery, func(w http.ResponseWriter) {
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, i.name(), plain.URL+keysPath)
	})
	got, err = ask(t, newTokens(t, i, c, trusting), token)
	wantUnknown(t, "a token whose keys would come in clear", got, err, "keys cannot be read")
	if plain.readings() != 0 {
		t.Error("the keys were read in clear")
	}
}

// TestKeysThatAreReadInClear are read, because a proxy may add the TLS, but the log warns of them.
func TestKeysThatAreReadInClear(t *testing.T) {
	t.Parallel()
	for issuer, warns := range map[string]bool{
		"http://127.0.0.1:1": false, "http://[::1]:1": false, "http://localhost:1": false, "https://issuer.invalid": false, "http://issuer.invalid": true, "http://10.0.0.1:1": true,
	} {
		var log lockedLog
		j, err := NewJWT(JWTOptions{Issuer: issuer, Audiences: []string{"gateway"}, Log: log.logger()})
		if err != nil {
			t.Fatal(err)
		}
		j.keys.cancel() // no request is sent
		j.Start()
		if err := j.Close(); err != nil || strings.Contains(log.String(), "without TLS") != warns {
			t.Errorf("the log for %s, %v:\n%s", issuer, err, log.String())
		}
	}
}
