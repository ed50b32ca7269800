package auth

import (
	"crypto/rsa"
	"encoding/json"
	"math/big"
	"slices"
	"testing"

	"github.com/lestrrat-go/jwx/v3/jwa"
)

// TestAnRSAKeyThatIsTooLong would cost each stranger's token too much time.
func TestAnRSAKeyThatIsTooLong(t *testing.T) {
	t.Parallel()
	for bits, fine := range map[uint]bool{maxRSABits: true, maxRSABits + 1: false} {
		n := new(big.Int).Lsh(big.NewInt(1), bits-1)
		data, err := json.Marshal(map[string]any{"keys": []any{jwkOf(t, &rsa.PublicKey{N: n.Add(n, big.NewInt(1))}, "a")}})
		if err != nil {
			t.Fatal(err)
		}
		if keys, err := publicKeys(data, algorithms); (err == nil) != fine {
			t.Errorf("publicKeys() of %d bits = %v, %v", bits, keys, err)
		}
	}
}

// FuzzKeySet: whatever a provider sends, each key that is taken fits an algorithm that is allowed, and is public.
func FuzzKeySet(f *testing.F) {
	p := pairs()
	for _, seed := range []any{
		map[string]any{"keys": []any{jwkOf(f, p.rsa, "a", "use", "sig"), jwkOf(f, p.p256, "b", "alg", "ES256"), jwkOf(f, p.ed, "")}},
		map[string]any{"keys": []any{map[string]any{"kty": "oct", "k": "AAAA"}, jwkOf(f, p.short, "c")}}, jwkOf(f, p.ed, "d"), []int{1}, nil,
	} {
		data, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := publicKeys(data, algorithms)
		if (err == nil) != (len(keys) > 0) || len(keys) > maxKeys {
			t.Errorf("publicKeys() = %d keys, %v", len(keys), err)
		}
		for _, k := range keys {
			if len(k.algs) == 0 || slices.ContainsFunc(k.algs, func(a jwa.SignatureAlgorithm) bool { return !fits(k.key, a) }) {
				t.Errorf("publicKeys() has %T for %v", k.key, k.algs)
			}
		}
	})
}
