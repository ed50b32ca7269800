package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// ask sends a token.
func ask(t *testing.T, j *JWT, token string) (gateway.Principal, error) {
	t.Helper()
	return j.Principal(request(t, "Authorization", "Bearer "+token))
}

// raw returns a token of any header, unsigned or signed by HMAC.
func raw(t *testing.T, header, claims any, secret []byte) string {
	t.Helper()
	part := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(data)
	}
	signed := part(header) + "." + part(claims)
	if secret == nil {
		return signed + "."
	}
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte(signed)) // of a hash: never fails
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// TestEveryAlgorithmOfAnIssuer takes tokens of each kind of key, real ones, from discovery to the principal.
func TestEveryAlgorithmOfAnIssuer(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	i := newIssuer(t, jwkOf(t, p.rsa, "rsa", "use", "sig"), jwkOf(t, p.p256, "p256", "key_ops", []string{"verify"}), jwkOf(t, p.p384, "p384"), jwkOf(t, p.p521, "p521"),
		jwkOf(t, p.ed, "ed", "alg", "EdDSA"))
	j := newTokens(t, i, c)
	for a, key := range map[jwa.SignatureAlgorithm]any{
		jwa.RS256(): p.rsa, jwa.RS384(): p.rsa, jwa.RS512(): p.rsa, jwa.PS256(): p.rsa, jwa.PS384(): p.rsa, jwa.PS512(): p.rsa,
		jwa.ES256(): p.p256, jwa.ES384(): p.p384, jwa.ES512(): p.p521, jwa.EdDSA(): p.ed,
	} {
		id := map[any]string{p.rsa: "rsa", p.p256: "p256", p.p384: "p384", p.p521: "p521"}[keyOrNil(key)]
		if id == "" {
			id = "ed"
		}
		claims := claimsAt(i, c, "roles", []string{"editor"}, "email", "ada@example.com")
		got, err := ask(t, j, sign(t, key, a, id, claims))
		if err != nil || got.ID != "jwt:"+i.name()+"|ada" || !reflect.DeepEqual(got.Roles, []string{"editor"}) || got.Claims["email"] != "ada@example.com" {
			t.Errorf("%s: %s %q %v, %v", a, got.ID, got.Roles, got.Claims, err)
		}
		// A token that does not name its key is taken if the issuer has only one that it can be of.
		if _, err := ask(t, j, sign(t, key, a, "", claims)); err != nil {
			t.Errorf("%s without a kid: %v", a, err)
		}
	}
	if n := i.readings(); n != 1 {
		t.Errorf("the keys were read %d times, want once", n)
	}
}

// keyOrNil is key if it can be compared.
func keyOrNil(key any) any {
	if reflect.TypeOf(key).Comparable() {
		return key
	}
	return nil
}

// TestTokensThatAreRefused has a row for each kind of invalid token. All are answered alike, and no cause quotes the
// token.
func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	i := newIssuer(t, jwkOf(t, p.rsa, "rsa"), jwkOf(t, p.p256, "p256"), jwkOf(t, p.ed, "ed"), jwkOf(t, p.rsa2, "bound", "alg", "RS256"),
		jwkOf(t, p.ed2, "encrypts", "use", "enc"), jwkOf(t, p.p384, "signs", "key_ops", []string{"sign"}), jwkOf(t, p.short, "short"),
		jwkOf(t, p.p521, "other", "alg", "ECDH-ES"), map[string]any{"kty": "oct", "kid": "secret", "k": "c2VjcmV0"}, map[string]any{"kty": "AKP", "kid": "later", "alg": "ML-DSA-44"})
	j := newTokens(t, i, c)
	der, err := x509.MarshalPKIXPublicKey(&p.rsa.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	publicJWK, err := json.Marshal(jwkOf(t, p.rsa, "rsa"))
	if err != nil {
		t.Fatal(err)
	}
	now := c.time().Unix()
	claims := func(members ...any) map[string]any { return claimsAt(i, c, members...) }
	good := sign(t, p.rsa, jwa.RS256(), "rsa", claims())
	parts := strings.Split(good, ".")
	other := sign(t, p.rsa, jwa.RS256(), "rsa", claims("sub", "eve"))
	tests := []struct{ name, token, cause string }{
		{"expired", sign(t, p.rsa, jwa.RS256(), "rsa", claims("exp", now-31)), "has expired"},
		{"expires now, leeway over", sign(t, p.rsa, jwa.RS256(), "rsa", claims("exp", now-30)), "has expired"},
		{"no exp", sign(t, p.rsa, jwa.RS256(), "rsa", claims("exp", nil)), "no exp"},
		{"exp is no time", sign(t, p.rsa, jwa.RS256(), "rsa", claims("exp", "soon")), "not a JSON object"},
		{"not yet valid", sign(t, p.rsa, jwa.RS256(), "rsa", claims("nbf", now+31)), "not valid yet"},
		{"issued in the future", sign(t, p.rsa, jwa.RS256(), "rsa", claims("iat", now+31)), "not valid yet"},
		{"wrong audience", sign(t, p.rsa, jwa.RS256(), "rsa", claims("aud", "another")), "another audience"},
		{"no audience", sign(t, p.rsa, jwa.RS256(), "rsa", claims("aud", nil)), "another audience"},
		{"wrong audiences", sign(t, p.rsa, jwa.RS256(), "rsa", claims("aud", []string{"a", "Gateway"})), "another audience"},
		{"wrong issuer", sign(t, p.rsa, jwa.RS256(), "rsa", claims("iss", "https://evil.example")), "another issuer"},
		{"issuer with a slash", sign(t, p.rsa, jwa.RS256(), "rsa", claims("iss", i.name()+"/")), "another issuer"},
		{"no issuer", sign(t, p.rsa, jwa.RS256(), "rsa", claims("iss", nil)), "another issuer"},
		{"no subject", sign(t, p.rsa, jwa.RS256(), "rsa", claims("sub", nil)), "no sub"},
		{"empty subject", sign(t, p.rsa, jwa.RS256(), "rsa", claims("sub", "")), "no sub"},
		{"subject is a number", sign(t, p.rsa, jwa.RS256(), "rsa", claims("sub", 7)), "not a JSON object"},
		{"claims are a list", sign(t, p.rsa, jwa.RS256(), "rsa", []byte(`["iss"]`)), "not a JSON object"},
		{"claims are null", sign(t, p.rsa, jwa.RS256(), "rsa", []byte(`null`)), "not a JSON object"},
		{"claims are no JSON", sign(t, p.rsa, jwa.RS256(), "rsa", []byte(`{"iss":`)), "not a JSON object"},
		{"roles are numbers", sign(t, p.rsa, jwa.RS256(), "rsa", claims("roles", []int{1})), "roles"},
		{"roles are an object", sign(t, p.rsa, jwa.RS256(), "rsa", claims("roles", map[string]any{"admin": true})), "roles"},
		{"alg none", raw(t, map[string]any{"alg": "none", "kid": "rsa"}, claims(), nil), "algorithm"},
		{"alg None", raw(t, map[string]any{"alg": "None", "kid": "rsa"}, claims(), nil), ""},
		{"alg none, with a signature", raw(t, map[string]any{"alg": "none"}, claims(), []byte("x")), "algorithm"},
		{"no alg", raw(t, map[string]any{"kid": "rsa"}, claims(), []byte("x")), "algorithm"},
		{"alg is a number", raw(t, map[string]any{"alg": 7}, claims(), []byte("x")), ""},
		{"HS256 with the public key as PEM", raw(t, map[string]any{"alg": "HS256", "kid": "rsa"}, claims(), publicPEM), "algorithm"},
		{"HS256 with the public key as JWK", raw(t, map[string]any{"alg": "HS256", "kid": "rsa"}, claims(), publicJWK), "algorithm"},
		{"HS256 with the public key as DER", raw(t, map[string]any{"alg": "HS256", "kid": "rsa"}, claims(), der), "algorithm"},
		{"HS256 with a secret of the set", raw(t, map[string]any{"alg": "HS256", "kid": "secret"}, claims(), []byte("secret")), "algorithm"},
		{"RS256 that is HS256", raw(t, map[string]any{"alg": "RS256", "kid": "rsa"}, claims(), publicPEM), "signature is wrong"},
		{"signed by another key of the kind", sign(t, p.rsa2, jwa.RS256(), "rsa", claims()), "signature is wrong"},
		{"the kid of another key", sign(t, p.rsa, jwa.RS256(), "bound", claims()), "signature is wrong"},
		{"the kid of a key of another kind", sign(t, p.rsa, jwa.RS256(), "p256", claims()), "does not have, or not for this algorithm"},
		{"an unknown kid", sign(t, p.rsa, jwa.RS256(), "unknown", claims()), "does not have"},
		{"no kid where there are several", sign(t, p.rsa, jwa.RS256(), "", claims()), "does not name its key"},
		{"a key bound to another algorithm", sign(t, p.rsa2, jwa.PS256(), "bound", claims()), "not for this algorithm"},
		{"a key that encrypts", sign(t, p.ed2, jwa.EdDSA(), "encrypts", claims()), "does not have"},
		{"a key that only signs", sign(t, p.p384, jwa.ES384(), "signs", claims()), "does not have"},
		{"a key that agrees on keys", sign(t, p.p521, jwa.ES512(), "other", claims()), "does not have"},
		{"a key that is too short", sign(t, p.short, jwa.RS256(), "short", claims()), "does not have"},
		{"a curve under another's algorithm", sign(t, p.p384, jwa.ES256(), "signs", claims()), "does not have"},
		{"another's claims under the signature", parts[0] + "." + strings.Split(other, ".")[1] + "." + parts[2], "signature is wrong"},
		{"a signature cut off", parts[0] + "." + parts[1] + ".", ""},
		{"a signature with one bit more", good + "A", ""},
		{"its own key in the header", sign(t, p.rsa2, jwa.RS256(), "unknown", claims(), "jku", i.URL+"/evil", "x5u", i.URL+"/evil"), "does not have"},
		{"an extension that is critical", sign(t, p.rsa, jwa.RS256(), "rsa", claims(), "crit", []string{"exp"}, "exp", now+600), "signature is wrong"},
		{"a payload that is not encoded", sign(t, p.rsa, jwa.RS256(), "rsa", claims(), "x-unused", "1")[1:], ""},
		{"a logout token", sign(t, p.rsa, jwa.RS256(), "rsa", claims(), "typ", "logout+jwt"), "no credential"},
		{"a proof of possession", sign(t, p.rsa, jwa.RS256(), "rsa", claims(), "typ", "dpop+jwt"), "no credential"},
		{"JSON in place of dots", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, "not Bearer"},
		{"encrypted", "e30.e30.e30.e30.e30", "compact form"},
		{"two parts", parts[0] + "." + parts[1], "compact form"},
		{"dots", "..", ""},
		{"an API key", "key_0123456789", "compact form"},
		{"huge", sign(t, p.rsa, jwa.RS256(), "rsa", claims("pad", strings.Repeat("x", maxCredential))), "more than 16384 bytes"},
		{"a huge header", raw(t, map[string]any{"alg": "RS256", "kid": strings.Repeat("k", 10000)}, claims(), []byte("x")), "does not have"},
	}
	for _, tt := range tests {
		got, err := ask(t, j, tt.token)
		wantRefused(t, tt.name, got, err, tt.cause, cut(tt.token, 40), parts[2])
	}
	if _, err := ask(t, j, good); err != nil {
		t.Errorf("the token that all these were made of: %v", err)
	}
	if n := i.readings(); n != 1 {
		t.Errorf("%d tokens had the keys read %d times, want once", len(tests), n)
	}
	if i.asked["/evil"] != 0 {
		t.Error("the key that the token named was asked for")
	}
}

// TestTokensAtTheLimits are taken: what the clocks allow, several audiences, the kinds that are credentials.
func TestTokensAtTheLimits(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	i := newIssuer(t, jwkOf(t, p.ed, "ed"))
	j := newTokens(t, i, c, func(o *JWTOptions) { o.Audiences = []string{"gateway", "api://gateway"} })
	now := c.time().Unix()
	for name, token := range map[string]string{
		"expired within the leeway":          sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "exp", now-29)),
		"not yet valid within the leeway":    sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "nbf", now+30)),
		"issued ahead within the leeway":     sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "iat", now+30)),
		"without iat and nbf":                sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "iat", nil)),
		"several audiences, one of them":     sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "aud", []string{"account", "api://gateway"})),
		"an access token":                    sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c), "typ", "at+JWT"),
		"an access token, with its full typ": sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c), "typ", "application/at+jwt"),
		"an ID token":                        sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c), "typ", "JWT"),
		"without typ":                        sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c)),
		"a large one":                        sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "pad", strings.Repeat("x", 8000))),
	} {
		if got, err := ask(t, j, token); err != nil || got.ID != "jwt:"+i.name()+"|ada" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestAlgorithmsAreThoseThatAreAllowed: a key of the issuer is not enough.
func TestAlgorithmsAreThoseThatAreAllowed(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	i := newIssuer(t, jwkOf(t, p.rsa, "rsa"), jwkOf(t, p.p384, "p384"))
	j := newTokens(t, i, c, func(o *JWTOptions) { o.Algorithms = nil })
	if _, err := ask(t, j, sign(t, p.rsa, jwa.RS256(), "rsa", claimsAt(i, c))); err != nil {
		t.Errorf("RS256: %v", err)
	}
	for a, key := range map[jwa.SignatureAlgorithm]any{jwa.RS512(): p.rsa, jwa.ES384(): p.p384} {
		got, err := ask(t, j, sign(t, key, a, "", claimsAt(i, c)))
		wantRefused(t, a.String(), got, err, "algorithm that is not allowed")
	}
}

// TestRolesOfClaims finds roles where providers put them.
func TestRolesOfClaims(t *testing.T) {
	t.Parallel()
	var claims map[string]any
	const text = `{"roles":["a","b"],"scope":"read  write","realm_access":{"roles":["c"]},"https://example.com/roles":["d"],"a/b":{"~":"e"},"none":null,"n":1,"list":[1]}`
	if err := json.Unmarshal([]byte(text), &claims); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{
		"roles": "a b", "scope": "read write", "/realm_access/roles": "c", "https://example.com/roles": "d", "/a~1b/~0": "e", "/roles": "a b",
		"none": "", "absent": "", "/realm_access/absent": "", "/roles/0": "", "/absent/x": "", "n": "error", "list": "error", "realm_access": "error",
	} {
		roles, err := rolesOf(claims, place)
		if got := strings.Join(roles, " "); (err != nil) != (want == "error") || err == nil && got != want {
			t.Errorf("rolesOf(%q) = %q, %v, want %s", place, roles, err, want)
		}
	}
}

func TestNewJWTRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	const url = "https://issuer.example"
	aud := []string{"gateway"}
	for _, tt := range []struct {
		o    JWTOptions
		want string
	}{
		{JWTOptions{Issuer: url, Audiences: aud}, ""},
		{JWTOptions{Issuer: "accounts.example", KeySet: url + "/keys", Audiences: aud}, ""},
		{JWTOptions{Audiences: aud}, "no issuer"},
		{JWTOptions{KeySet: url, Audiences: aud}, "no issuer"},
		{JWTOptions{Issuer: "accounts.example", Audiences: aud}, "not a URL"},
		{JWTOptions{Issuer: "file:///etc/passwd", Audiences: aud}, "not a URL"},
		{JWTOptions{Issuer: url + "?hush", Audiences: aud}, "not a URL"},
		{JWTOptions{Issuer: "https://user:hush@issuer.example", Audiences: aud}, "not a URL"},
		{JWTOptions{Issuer: url, KeySet: "hush", Audiences: aud}, "key set"},
		{JWTOptions{Issuer: url}, "no audience"},
		{JWTOptions{Issuer: url, Audiences: []string{""}}, "no audience"},
		{JWTOptions{Issuer: url, Audiences: aud, Algorithms: []string{"HS256"}}, "algorithms"},
		{JWTOptions{Issuer: url, Audiences: aud, Algorithms: []string{"none"}}, "algorithms"},
		{JWTOptions{Issuer: url, Audiences: aud, Leeway: -time.Second}, "leeway"},
		{JWTOptions{Issuer: url, Audiences: aud, Leeway: MaxLeeway}, ""},
		{JWTOptions{Issuer: url, Audiences: aud, Leeway: MaxLeeway + 1}, "leeway"},
	} {
		_, err := NewJWT(tt.o)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("NewJWT(%+v) = %v, want %q", tt.o, err, tt.want)
		}
	}
}

// TestTheGatewayAnswersAllRefusalsAlike sends different invalid requests through a gateway: status, headers and body
// are the same but for the request's id, and the log has a cause for each, without the credentials.
func TestTheGatewayAnswersAllRefusalsAlike(t *testing.T) {
	t.Parallel()
	p, c := pairs(), newClock()
	i := newIssuer(t, jwkOf(t, p.ed, "ed"))
	j := newTokens(t, i, c)
	var log lockedLog
	g, err := gateway.New(gateway.Options{
		Agents:    map[string]groupchat.Agent{"a": groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return nil })},
		Principal: j.Principal, Log: log.logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() }) // of a store in memory
	send := func(token string) *httptest.ResponseRecorder {
		r := request(t, "X-Request-Id", "the-same")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	good := sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c))
	if w := send(good); w.Code != http.StatusOK {
		t.Fatalf("a good token = %d, %s", w.Code, w.Body)
	}
	want := send("")
	bad := map[string]string{
		"expired":          sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "exp", 1)),
		"another audience": sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "aud", "x")),
		"does not have":    sign(t, p.ed, jwa.EdDSA(), "unknown", claimsAt(i, c)),
		"signature":        sign(t, p.ed2, jwa.EdDSA(), "ed", claimsAt(i, c)),
		"no sub":           sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "sub", "")),
		"513 bytes":        sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "sub", strings.Repeat("s", 513-len("jwt:|")-len(i.name())))),
		"control":          sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "sub", "ada\nbob")),
		"65 roles":         sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "roles", strings.Fields(strings.Repeat("r ", 65)))),
		"more than 8192":   sign(t, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c, "pad", strings.Repeat("x", 8192))),
		"compact form":     "key_0123456789",
		"more than 16384":  strings.Repeat("x", maxCredential+1),
	}
	for cause, token := range bad {
		w := send(token)
		if w.Code != http.StatusUnauthorized || w.Body.String() != want.Body.String() || !reflect.DeepEqual(w.Header(), want.Header()) {
			t.Errorf("%s: %d %v %s, want %v %s", cause, w.Code, w.Header(), w.Body, want.Header(), want.Body)
		}
		if text := log.String(); !strings.Contains(text, cause) || strings.Contains(text, cut(token, 100)) {
			t.Errorf("the log does not have %q, or has the token", cause)
		}
	}
	if want.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("the answer has %v", want.Header())
	}
}

// FuzzToken: no text but a token of the issuer gets anybody in, and none panics.
func FuzzToken(f *testing.F) {
	p, c := pairs(), newClock()
	i := newIssuer(f, jwkOf(f, p.ed, "ed"), jwkOf(f, p.rsa, "rsa"))
	j := newTokens(f, i, c)
	good := sign(f, p.ed, jwa.EdDSA(), "ed", claimsAt(i, c))
	for _, seed := range []string{
		good, sign(f, p.rsa, jwa.RS256(), "rsa", claimsAt(i, c)) + "A", "eyJhbGciOiJub25lIn0.e30.", "..", "a.b.c", "eyJhbGciOiJFZERTQSIsImI2NCI6ZmFsc2V9.e30.AAAA",
		"eyJhbGciOiJFZERTQSIsImNyaXQiOlsiZXhwIl19.e30.AAAA", "eyJhbGciOlsiRWREU0EiXX0.e30.AAAA",
	} {
		f.Add(seed)
	}
	signed := strings.Split(good, ".")
	f.Fuzz(func(t *testing.T, token string) {
		parts := strings.Split(token, ".")
		if claims, err := j.verify(t.Context(), token); err == nil && (len(parts) != 3 || parts[0] != signed[0] || parts[1] != signed[1]) {
			t.Errorf("%q is taken: %s", token, claims)
		}
	})
}

// cut returns the first n bytes of a text.
func cut(text string, n int) string { return text[:min(len(text), n)] }
