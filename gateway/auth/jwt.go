package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jws"
	"github.com/lestrrat-go/jwx/v3/jwt"

	"github.com/agui-gateway/gateway/gateway"
)

// MaxLeeway is the largest leeway: clocks that are further apart have to be set.
const MaxLeeway = 5 * time.Minute

// The causes of a refusal that has to do with the token. No text of theirs quotes it.
var (
	errNotAToken  = errors.New("the credential is not a signed token in its compact form")
	errTokenType  = errors.New("the token is of a kind that is no credential")
	errAlgorithm  = errors.New("the token is signed with an algorithm that is not allowed")
	errSignature  = errors.New("the token's signature is wrong")
	errClaims     = errors.New("the token's claims are not a JSON object with claims of the right types")
	errExpired    = errors.New("the token has expired")
	errNotYet     = errors.New("the token is not valid yet")
	errIncomplete = errors.New("the token has no exp or no sub")
	errIssuer     = errors.New("the token has another issuer")
	errAudience   = errors.New("the token is for another audience")
)

// JWTOptions say whose tokens are believed. Issuer and Audiences are required; the zero value of every other field is a usable default.
type JWTOptions struct {
	// Issuer is the iss of tokens: the URL of an OpenID provider, whose discovery document says where its keys are.
	Issuer string
	// KeySet is the URL of the issuer's keys for those that have no discovery document, or one that cannot be reached from here.
	KeySet string
	// Audiences are the values of aud of which a token needs one: what this gateway is called at the provider.
	Audiences []string
	// Algorithms are those that tokens may be signed with, of [Algorithms]; empty means RS256, PS256, ES256 and EdDSA.
	Algorithms []string
	// Leeway is how far the provider's clock may be from ours, at most [MaxLeeway]; 0 means none.
	Leeway time.Duration
	// Roles is the claim that has the principal's roles: a name, or a JSON Pointer such as /realm_access/roles; empty means roles. The claim is
	// a list of texts, or one text with spaces between.
	Roles string

	// Client asks the provider; nil means one of the package's own, which connects to no link-local address and to no cloud's metadata. Redirects
	// are not followed, and no answer is waited for longer than 5 seconds.
	Client *http.Client
	// Log is told when the provider's keys cannot be read, and when they can again; nil means [slog.Default].
	Log *slog.Logger
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// JWT knows principals by the tokens that a provider has signed for them. Its methods can be called concurrently.
type JWT struct {
	o       JWTOptions
	allowed []jwa.SignatureAlgorithm
	from    *provider
	keys    *keySet
}

// NewJWT checks the options. It asks nobody: the provider may also be away. The caller calls Close in the end.
func NewJWT(o JWTOptions) (*JWT, error) {
	if len(o.Algorithms) == 0 {
		o.Algorithms = defaultAlgorithms
	}
	if o.Roles == "" {
		o.Roles = "roles"
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	allowed, err := algorithmsOf(o.Algorithms)
	switch {
	case err != nil:
		return nil, err
	case len(o.Audiences) == 0 || slices.Contains(o.Audiences, ""):
		return nil, errors.New("there is no audience, so tokens for other programs would be taken")
	case o.Leeway < 0 || o.Leeway > MaxLeeway:
		return nil, fmt.Errorf("the leeway is not between 0 and %s", MaxLeeway)
	}
	p, err := newProvider(o, allowed)
	if err != nil {
		return nil, err
	}
	return &JWT{o: o, allowed: allowed, from: p, keys: newKeySet(p.read, o.Now, o.Log.With("issuer", p.name()))}, nil
}

// Start begins to read the provider's keys, so that the first request need not wait for them and the log says early what is wrong.
func (j *JWT) Start() {
	if j.from.inClear() {
		j.o.Log.Warn("the keys for tokens are read without TLS: whoever is on the way can sign tokens", "issuer", j.from.name())
	}
	j.keys.start()
}

// Check reads the provider's document and keys once, as the first request would, and returns how many of the keys can be used. It leaves
// the keys that Principal uses alone. The error says what is wrong and quotes nothing that is secret; it may wrap [ErrOtherIssuer].
func (j *JWT) Check(ctx context.Context) (keys int, err error) {
	defer func() {
		if recover() != nil { // what the provider sends goes through a library
			err = errReadPanics
		}
	}()
	found, err := j.from.read(ctx)
	return len(found), err
}

// Close stops reading the provider's keys, and returns when nothing goes on any more. Nobody may call Principal after it.
func (j *JWT) Close() error {
	j.keys.close()
	j.from.client.CloseIdleConnections()
	return nil
}

// Principal returns jwt:ISS|SUB, with its roles and all claims of the token, if r has a good token in Authorization: Bearer. The error has the code
// unauthorized, or auth_unavailable as long as the provider's keys could not be read. If they have to be read first, Principal waits for them, and no longer than
// r's context.
func (j *JWT) Principal(r *http.Request) (gateway.Principal, error) {
	token, err := bearer(r.Header)
	if err != nil {
		return gateway.Principal{}, unauthorized(err)
	}
	claims, err := j.verify(r.Context(), token)
	if err != nil {
		return gateway.Principal{}, unauthorized(err)
	}
	p, err := j.principal(claims)
	if err != nil {
		return gateway.Principal{}, unauthorized(err)
	}
	return p, nil
}

// verify checks who has signed a token, and returns its claims as they are.
func (j *JWT) verify(ctx context.Context, token string) (claims []byte, err error) {
	if len(token) > maxCredential {
		return nil, errTooLong
	}
	if strings.Count(token, ".") != 2 { // an encrypted one has four
		return nil, errNotAToken
	}
	message, err := jws.Parse([]byte(token), jws.WithCompact())
	if err != nil || len(message.Signatures()) != 1 {
		return nil, errNotAToken // the library's words quote the token
	}
	header := message.Signatures()[0].ProtectedHeaders()
	if kind, ok := header.Type(); ok && !isCredential(kind) {
		return nil, errTokenType
	}
	algorithm, ok := header.Algorithm()
	if !ok || !slices.Contains(j.allowed, algorithm) {
		return nil, errAlgorithm
	}
	id, _ := header.KeyID()
	keys, err := j.keys.find(ctx, id, algorithm)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		// It refuses headers that ask for extensions, and compares the algorithm again.
		if claims, err := jws.VerifyCompactFast(k.key, []byte(token), algorithm); err == nil {
			return claims, nil
		}
	}
	return nil, errSignature
}

// isCredential reports whether a token of this kind says who its bearer is: an ID or an access token, not a logout token, a proof of possession
// or a set of events.
func isCredential(kind string) bool {
	kind = strings.ToLower(kind)
	switch strings.TrimPrefix(kind, "application/") {
	case "jwt", "at+jwt":
		return true
	}
	return false
}

// principal returns whose the claims are, if they are about a principal, for this gateway, and for now.
func (j *JWT) principal(data []byte) (gateway.Principal, error) {
	token := jwt.New()
	var claims map[string]any
	if json.Unmarshal(data, token) != nil || json.Unmarshal(data, &claims) != nil {
		return gateway.Principal{}, errClaims
	}
	if err := jwt.Validate(token, jwt.WithClock(jwt.ClockFunc(j.o.Now)), jwt.WithAcceptableSkew(j.o.Leeway)); err != nil {
		if errors.Is(err, jwt.TokenExpiredError()) {
			return gateway.Principal{}, errExpired
		}
		return gateway.Principal{}, errNotYet // by its nbf, or its iat
	}
	issuer, _ := token.Issuer()
	subject, _ := token.Subject()
	audience, _ := token.Audience()
	_, expires := token.Expiration()
	switch {
	case !expires || subject == "":
		return gateway.Principal{}, errIncomplete
	case issuer != j.o.Issuer:
		return gateway.Principal{}, errIssuer
	case !slices.ContainsFunc(audience, func(a string) bool { return slices.Contains(j.o.Audiences, a) }):
		return gateway.Principal{}, errAudience
	}
	roles, err := rolesOf(claims, j.o.Roles)
	if err != nil {
		return gateway.Principal{}, err
	}
	return gateway.Principal{ID: "jwt:" + issuer + "|" + subject, Roles: roles, Claims: claims}, nil
}
