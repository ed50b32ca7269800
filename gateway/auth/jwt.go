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

// MaxLeeway is the largest allowed leeway: clocks that differ more have to be corrected.
const MaxLeeway = 5 * time.Minute

// The causes of refused tokens. Their texts quote no token.
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

// JWTOptions configures accepted tokens. Issuer and Audiences are required; other zero values are defaults.
type JWTOptions struct {
	// Issuer is the iss of tokens: the URL of an OpenID provider, with a discovery document that locates its keys.
	Issuer string
	// KeySet is the URL of the issuer's keys if it has no reachable discovery document.
	KeySet string
	// Audiences are the values of aud of which a token needs one: what this gateway is called at the provider.
	Audiences []string
	// Algorithms are the accepted signature algorithms, from [Algorithms]; empty means RS256, PS256, ES256 and EdDSA.
	Algorithms []string
	// Leeway is the tolerated difference from the provider's clock, at most [MaxLeeway]; 0 means none.
	Leeway time.Duration
	// Roles is the claim with the principal's roles: a name, or a JSON Pointer such as /realm_access/roles; empty means
	// roles. The claim is a list of strings, or one string separated by spaces.
	Roles string

	// Client sends requests to the provider; nil means a client that refuses link-local addresses and those of cloud
	// metadata services. It follows no redirects, and no request takes longer than 5 seconds.
	Client *http.Client
	// Log gets a line when the provider's keys cannot be read, and when they can again; nil means [slog.Default].
	Log *slog.Logger
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// JWT identifies principals by tokens that a provider has signed. It is safe for concurrent use.
type JWT struct {
	o       JWTOptions
	allowed []jwa.SignatureAlgorithm
	from    *provider
	keys    *keySet
}

// NewJWT checks the options without contacting the provider, which may be away. The caller has to call Close.
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

// Start begins to read the provider's keys, so that the first request need not wait and errors are logged early.
func (j *JWT) Start() {
	if j.o.InClear() {
		j.o.Log.Warn("the keys for tokens are read without TLS: an attacker in the network can sign tokens", "issuer",
			j.from.name())
	}
	j.keys.start()
}

// Check reads the provider's document and keys once, like the first request, and returns the number of usable keys. It
// does not change the keys that Principal uses. The error quotes no secret; it may wrap [ErrOtherIssuer].
func (j *JWT) Check(ctx context.Context) (keys int, err error) {
	defer func() {
		if recover() != nil { // a library parses the provider's response
			err = errReadPanics
		}
	}()
	found, err := j.from.read(ctx)
	return len(found), err
}

// Close stops reading the provider's keys and waits for all goroutines. Principal must not be called after it.
func (j *JWT) Close() error {
	j.keys.close()
	j.from.client.CloseIdleConnections()
	return nil
}

// Principal returns jwt:ISS|SUB, with its roles and all claims of the token, if r has a valid token in Authorization:
// Bearer. Errors have the code unauthorized, or auth_unavailable while the provider's keys cannot be read. If the keys
// have to be read first, Principal waits until that is done or r's context ends.
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

// verify checks the signature of a token and returns its raw claims.
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
		// It refuses headers that require extensions, and compares the algorithm again.
		if claims, err := jws.VerifyCompactFast(k.key, []byte(token), algorithm); err == nil {
			return claims, nil
		}
	}
	return nil, errSignature
}

// isCredential reports whether a token of this kind authenticates its bearer: an ID or access token.
func isCredential(kind string) bool {
	kind = strings.ToLower(kind)
	switch strings.TrimPrefix(kind, "application/") {
	case "jwt", "at+jwt":
		return true
	}
	return false
}

// principal returns the principal of claims, if they name one, and are for this gateway and the current time.
func (j *JWT) principal(data []byte) (gateway.Principal, error) {
	token := jwt.New()
	var claims map[string]any
	if json.Unmarshal(data, token) != nil || json.Unmarshal(data, &claims) != nil {
		return gateway.Principal{}, errClaims
	}
	if err := jwt.Validate(token, jwt.WithClock(jwt.ClockFunc(j.o.Now)),
		jwt.WithAcceptableSkew(j.o.Leeway)); err != nil {
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
