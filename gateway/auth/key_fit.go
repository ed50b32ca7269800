package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
)

// Bounds of a provider's keys. Larger RSA keys cost too much time; the library refuses fewer than 2048 bits.
const (
	maxKeys    = 100
	maxRSABits = 8192
)

// algorithms are the accepted ones: all have a public key. HS256 and its variants do not: a checker could also sign.
var algorithms = []jwa.SignatureAlgorithm{
	jwa.RS256(), jwa.RS384(), jwa.RS512(), jwa.PS256(), jwa.PS384(), jwa.PS512(), jwa.ES256(), jwa.ES384(), jwa.ES512(),
	jwa.EdDSA(),
}

// defaultAlgorithms are those that providers use by default, and the one that replaces RS256.
var defaultAlgorithms = []string{"RS256", "PS256", "ES256", "EdDSA"}

// Algorithms lists the algorithms that tokens may be signed with.
func Algorithms() []string {
	var names []string
	for _, a := range algorithms {
		names = append(names, a.String())
	}
	return names
}

func algorithmsOf(names []string) ([]jwa.SignatureAlgorithm, error) {
	var list []jwa.SignatureAlgorithm
	for _, name := range names {
		i := slices.IndexFunc(algorithms, func(a jwa.SignatureAlgorithm) bool { return a.String() == name })
		if i < 0 {
			return nil, errors.New("tokens cannot be signed with one of the algorithms")
		}
		list = append(list, algorithms[i])
	}
	return list, nil
}

// A publicKey is a key of the provider that signs tokens.
type publicKey struct {
	id   string // empty if it has none
	key  any    // *rsa.PublicKey, *ecdsa.PublicKey or ed25519.PublicKey
	algs []jwa.SignatureAlgorithm
}

// publicKeys returns the keys of a JWK set that may sign with one of the allowed algorithms. It skips keys for other
// uses, secret or broken ones, and those that are too short or too long.
func publicKeys(data []byte, allowed []jwa.SignatureAlgorithm) ([]publicKey, error) {
	set, err := jwk.Parse(data, jwk.WithMaxKeys(maxKeys), jwk.WithStrictKeySetParsing(false))
	if err != nil {
		// the library's error quotes the set
		return nil, fmt.Errorf("the key set cannot be read, or has more than %d keys", maxKeys)
	}
	var keys []publicKey
	for i := range set.Len() {
		if k, ok := set.Key(i); ok {
			if p, ok := usable(k, allowed); ok {
				keys = append(keys, p)
			}
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set has no key that may sign tokens")
	}
	return keys, nil
}

// usable returns k if it may sign with one of the allowed algorithms.
func usable(k jwk.Key, allowed []jwa.SignatureAlgorithm) (publicKey, bool) {
	if jwk.IsUnsupportedKey(k) {
		return publicKey{}, false
	}
	if use, ok := k.KeyUsage(); ok && use != "sig" {
		return publicKey{}, false
	}
	if ops, ok := k.KeyOps(); ok && !slices.Contains(ops, jwk.KeyOpVerify) {
		return publicKey{}, false
	}
	p := publicKey{}
	if err := jwk.Export(k, &p.key); err != nil {
		return publicKey{}, false
	}
	p.id, _ = k.KeyID()
	keyAlgorithm, bound := k.Algorithm()
	for _, a := range allowed {
		if fits(p.key, a) && (!bound || keyAlgorithm.String() == a.String()) {
			p.algs = append(p.algs, a)
		}
	}
	return p, len(p.algs) > 0
}

// fits reports whether the public key can check a token signed with a. The curves are those of RFC 7518.
func fits(key any, a jwa.SignatureAlgorithm) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return key.N.BitLen() <= maxRSABits && (a.String()[:2] == "RS" || a.String()[:2] == "PS")
	case *ecdsa.PublicKey:
		return key.Curve == elliptic.P256() && a == jwa.ES256() || key.Curve == elliptic.P384() && a == jwa.ES384() ||
			key.Curve == elliptic.P521() && a == jwa.ES512()
	case ed25519.PublicKey:
		return a == jwa.EdDSA()
	default: // a secret that signs, or the private half of a pair
		return false
	}
}
