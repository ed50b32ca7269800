package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
)

// TestRotation: a new key works as soon as a token of it comes, an old one stops when the provider has taken it back, and strangers with
// made-up key ids do not have the provider asked more often than readPause allows.
func TestRotation(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	first, second := jwkOf(t, p.ed, "first"), jwkOf(t, p.ed2, "second")
	i := newIssuer(t, first)
	j := newTokens(t, i, c)
	old, fresh := sign(t, p.ed, jwa.EdDSA(), "first", claimsAt(i, c, "exp", 2_000_000_000)), sign(t, p.ed2, jwa.EdDSA(), "second", claimsAt(i, c, "exp", 2_000_000_000))
	want := func(when string, oldWorks, freshWorks bool, readings int) {
		t.Helper()
		for token, works := range map[string]bool{old: oldWorks, fresh: freshWorks} {
			if _, err := ask(t, j, token); (err == nil) != works {
				t.Errorf("%s: %v, want it to work: %v", when, err, works)
			}
		}
		if n := i.readings(); n != readings {
			t.Errorf("%s: the keys were read %d times, want %d", when, n, readings)
		}
	}
	want("at first", true, false, 1)
	i.rotate(first, second)
	want("just after the last reading", true, false, 1)
	for n := range 50 {
		got, err := ask(t, j, sign(t, p.ed, jwa.EdDSA(), fmt.Sprintf("made-up-%d", n), claimsAt(i, c)))
		wantRefused(t, "a made-up key id", got, err, "does not have")
	}
	c.move(readPause - 1)
	want("just before the pause is over", true, false, 1)
	c.move(1)
	if _, err := ask(t, j, fresh); err != nil {
		t.Errorf("a token of the new key: %v", err)
	}
	want("with a new key", true, true, 2)

	i.rotate(second)
	c.move(refreshAge)
	if _, err := ask(t, j, old); err != nil {
		t.Errorf("a request that has the keys read again waits for them: %v", err)
	}
	j.keys.reading.Wait()
	want("after a key was taken back", false, true, 3)
}

// TestAnIssuerThatIsAway: tokens are taken by the keys of before, for a day; without keys nobody is let in, and the log says once what is wrong.
func TestAnIssuerThatIsAway(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	var log lockedLog
	i := newIssuer(t, jwkOf(t, p.ed, "ed"))
	j := newTokens(t, i, c, func(o *JWTOptions) { o.Log = log.logger() })
	token := sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "exp", 2_000_000_000))
	away := func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }

	i.instead("/realm"+discovery, away)
	got, err := ask(t, j, token)
	wantRefused(t, "a token before there are keys", got, err, "keys cannot be read")
	c.move(readPause)
	got, err = ask(t, j, token)
	wantRefused(t, "a token before there are keys, later", got, err, "keys cannot be read")
	if text := log.String(); strings.Count(text, "answers 502") != 1 || strings.Contains(text, token) {
		t.Errorf("the log does not say once what is wrong:\n%s", text)
	}

	i.instead("/realm"+discovery, nil)
	c.move(readPause)
	if _, err := ask(t, j, token); err != nil {
		t.Errorf("a token when the issuer is back: %v", err)
	}
	i.Close()
	for age := time.Duration(0); age < maxAge; age += time.Hour {
		if _, err := ask(t, j, token); err != nil {
			t.Errorf("a token %s after the issuer went away: %v", age, err)
		}
		j.keys.reading.Wait()
		c.move(time.Hour)
	}
	got, err = ask(t, j, token)
	wantRefused(t, "a token a day after the issuer went away", got, err, "keys cannot be read")
	if text := log.String(); strings.Count(text, "level=ERROR") != 2 || strings.Count(text, "have been read") != 1 {
		t.Errorf("the log does not tell of each change once:\n%s", text)
	}
}

// TestIssuersThatAnswerBadly: none of them gets a token in, or has a request wait longer than readTime, or takes more memory than the limits.
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
			wantRefused(t, "a token", got, err, "keys cannot be read")
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

// TestAnIssuerThatIsSlow keeps nobody waiting who has a key that is known, and everybody else for readTime at most: one reading serves all of them.
// Time is the bubble's, so the waiting costs none.
func TestAnIssuerThatIsSlow(t *testing.T) {
	t.Parallel()
	p := pairs()
	first, second := publicKey{id: "first", key: p.ed.Public(), algs: algorithms}, publicKey{id: "second", key: p.ed2.Public(), algs: algorithms}
	synctest.Test(t, func(t *testing.T) {
		var readings atomic.Int64
		slow := false
		keys := []publicKey{first}
		s := newKeySet(func(ctx context.Context) ([]publicKey, error) {
			ctx, cancel := context.WithTimeout(ctx, readTime)
			defer cancel()
			readings.Add(1)
			if slow {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return keys, nil
		}, time.Now, (&lockedLog{}).logger())
		defer s.close()
		s.start()
		synctest.Wait()
		slow = true
		time.Sleep(refreshAge)
		begun := time.Now()
		if _, err := s.find(t.Context(), "first", jwa.EdDSA()); err != nil || time.Since(begun) != 0 {
			t.Errorf("find() of a known key = %v after %s", err, time.Since(begun))
		}
		var waiting sync.WaitGroup
		for range 100 {
			waiting.Go(func() {
				if _, err := s.find(t.Context(), "second", jwa.EdDSA()); !errors.Is(err, errUnknownID) || time.Since(begun) != readTime {
					t.Errorf("find() of an unknown key = %v after %s, want %s", err, time.Since(begun), readTime)
				}
			})
		}
		gone, leave := context.WithCancel(t.Context())
		waiting.Go(func() {
			if _, err := s.find(gone, "second", jwa.EdDSA()); !errors.Is(err, errAskerGone) || time.Since(begun) != time.Second {
				t.Errorf("find() of who left = %v after %s", err, time.Since(begun))
			}
		})
		time.Sleep(time.Second)
		leave()
		waiting.Wait()
		if n := readings.Load(); n != 2 {
			t.Errorf("%d readings, want 2", n)
		}
		slow, keys = false, []publicKey{second}
		time.Sleep(readPause)
		if _, err := s.find(t.Context(), "second", jwa.EdDSA()); err != nil {
			t.Errorf("find() when the issuer answers again = %v", err)
		}
	})
}

// TestCloseEndsAReading that nobody would wait for.
func TestCloseEndsAReading(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	reached, release := make(chan struct{}), make(chan struct{})
	i.instead("/realm"+discovery, func(http.ResponseWriter) { close(reached); <-release })
	defer close(release)
	var log lockedLog
	j := newTokens(t, i, newClock(), func(o *JWTOptions) { o.Log = log.logger() })
	j.Start()
	<-reached
	if err := j.Close(); err != nil || log.String() != "" {
		t.Errorf("Close() = %v, the log has:\n%s", err, &log.data)
	}
	got, err := ask(t, j, sign(t, pairs().ed, jwa.EdDSA(), "ed", claimsAt(i, newClock())))
	wantRefused(t, "a token after Close", got, err, "shutting down")
}

// TestAReadingThatPanics is one that failed.
func TestAReadingThatPanics(t *testing.T) {
	t.Parallel()
	s := newKeySet(func(context.Context) ([]publicKey, error) { panic("a defect") }, time.Now, (&lockedLog{}).logger())
	defer s.close()
	if _, err := s.find(t.Context(), "x", jwa.EdDSA()); !errors.Is(err, errNoKeys) {
		t.Errorf("find() = %v", err)
	}
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
	wantRefused(t, "a token of an issuer with an unknown certificate", got, err, "keys cannot be read")
	if !strings.Contains(log.String(), "certificate") {
		t.Errorf("the log does not say why:\n%s", log.String())
	}
	i.instead("/realm"+discovery, func(w http.ResponseWriter) {
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, i.name(), plain.URL+keysPath)
	})
	got, err = ask(t, newTokens(t, i, c, trusting), token)
	wantRefused(t, "a token whose keys would come in clear", got, err, "keys cannot be read")
	if plain.readings() != 0 {
		t.Error("the keys were read in clear")
	}
}
