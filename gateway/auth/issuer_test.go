package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"
)

// pairs are key pairs that are made once, because RSA's take their time.
var pairs = sync.OnceValue(func() (p struct {
	rsa, rsa2, short *rsa.PrivateKey
	p256, p384, p521 *ecdsa.PrivateKey
	ed, ed2          ed25519.PrivateKey
}) {
	var err error
	must := func(e error) {
		if e != nil {
			panic(e)
		}
	}
	p.rsa, err = rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	p.rsa2, err = rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	p.short, err = rsa.GenerateKey(rand.Reader, 1024)
	must(err)
	p.p256, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	p.p384, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	must(err)
	p.p521, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	must(err)
	_, p.ed, err = ed25519.GenerateKey(rand.Reader)
	must(err)
	_, p.ed2, err = ed25519.GenerateKey(rand.Reader)
	must(err)
	return p
})

// jwkOf is a key as a set has it, with further members in pairs.
func jwkOf(t testing.TB, key any, id string, members ...any) map[string]any {
	t.Helper()
	if private, ok := key.(crypto.Signer); ok {
		key = private.Public()
	}
	m := map[string]any{"kid": id}
	if id == "" {
		m = map[string]any{}
	}
	if short, ok := key.(*rsa.PublicKey); ok { // the library imports none that is too short
		m["kty"], m["e"], m["n"] = "RSA", "AQAB", base64.RawURLEncoding.EncodeToString(short.N.Bytes())
	} else if k, err := jwk.Import(key); err != nil {
		t.Fatal(err)
	} else if data, err := json.Marshal(k); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(members); i += 2 {
		m[members[i].(string)] = members[i+1]
	}
	return m
}

// An issuer is an OpenID provider on a port of this machine, as far as a gateway asks one.
type issuer struct {
	*httptest.Server
	mu    sync.Mutex
	keys  []any                                  // of its set
	serve map[string]func(w http.ResponseWriter) // what it answers instead, by path
	asked map[string]int                         // how often, by path
}

const keysPath = "/realm/keys"

// newIssuer starts a provider. Its issuer is its URL and /realm.
func newIssuer(t testing.TB, keys ...any) *issuer {
	t.Helper()
	i := &issuer{keys: keys, serve: map[string]func(http.ResponseWriter){}, asked: map[string]int{}}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) name() string { return i.URL + "/realm" }

// ServeHTTP answers as providers do.
func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	i.asked[r.URL.Path]++
	instead, keys := i.serve[r.URL.Path], i.keys
	i.mu.Unlock()
	switch {
	case instead != nil:
		instead(w)
	case r.URL.Path == "/realm"+discovery:
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.name(), "jwks_uri": i.URL + keysPath, "authorization_endpoint": i.URL + "/authorize"})
	case r.URL.Path == keysPath:
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
	default:
		http.NotFound(w, r)
	}
}

// rotate has the set hold other keys.
func (i *issuer) rotate(keys ...any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// instead has a path answer something else; nil takes that back.
func (i *issuer) instead(path string, serve func(http.ResponseWriter)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.serve[path] = serve
}

// readings is how often the keys were read.
func (i *issuer) readings() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[keysPath]
}

// A clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_800_000_000, 0)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A lockedLog is a server log that is read while others write to it.
type lockedLog struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.String()
}

func (l *lockedLog) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// newTokens knows the tokens of an issuer.
func newTokens(t testing.TB, i *issuer, c *clock, change ...func(*JWTOptions)) *JWT {
	t.Helper()
	o := JWTOptions{Issuer: i.name(), Audiences: []string{"gateway"}, Leeway: 30 * time.Second, Algorithms: Algorithms(), Now: c.time, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	j, err := NewJWT(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() }) // it returns nil
	return j
}

// claimsAt are good claims, with further ones in pairs. A nil value takes a claim away.
func claimsAt(i *issuer, c *clock, members ...any) map[string]any {
	now := c.time().Unix()
	m := map[string]any{"iss": i.name(), "sub": "ada", "aud": "gateway", "iat": now, "exp": now + 600}
	for k := 0; k+1 < len(members); k += 2 {
		if m[members[k].(string)] = members[k+1]; members[k+1] == nil {
			delete(m, members[k].(string))
		}
	}
	return m
}

// sign makes a token, with further members of its header in pairs.
func sign(t testing.TB, key any, a jwa.SignatureAlgorithm, id string, claims any, members ...any) string {
	t.Helper()
	payload, ok := claims.([]byte)
	if !ok {
		var err error
		if payload, err = json.Marshal(claims); err != nil {
			t.Fatal(err)
		}
	}
	headers := jws.NewHeaders()
	if id != "" {
		members = append(members, "kid", id)
	}
	for i := 0; i+1 < len(members); i += 2 {
		if err := headers.Set(members[i].(string), members[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	token, err := jws.Sign(payload, jws.WithKey(a, key, jws.WithProtectedHeaders(headers)))
	if err != nil {
		t.Fatal(err)
	}
	return string(token)
}
