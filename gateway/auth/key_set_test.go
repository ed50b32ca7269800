package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
)

// TestRotation: a new key works with its first token, an old one stops when the provider has revoked it, and clients
// with made-up key ids do not cause more reads than readPause allows.
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

// TestAnIssuerThatIsAway: tokens are checked with the previous keys, for a day; without keys all are refused, and the
// error is logged once.
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
	wantUnknown(t, "a token before there are keys", got, err, "keys cannot be read")
	c.move(readPause)
	got, err = ask(t, j, token)
	wantUnknown(t, "a token before there are keys, later", got, err, "keys cannot be read")
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
	wantUnknown(t, "a token a day after the issuer went away", got, err, "keys cannot be read")
	if text := log.String(); strings.Count(text, "level=ERROR") != 2 || strings.Count(text, "have been read") != 1 {
		t.Errorf("the log does not tell of each change once:\n%s", text)
	}
}

// TestAnIssuerThatIsSlow delays no request with a known key, and others for readTime at most: one read serves all of
// them. Time is the bubble's, so waiting is free.
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

// TestCloseEndsAReading without a waiting request.
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
	wantUnknown(t, "a token after Close", got, err, "shutting down")
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
