// Package jsontest makes JSON for tests: random documents, and what browsers make of them.
package jsontest

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// A Generator makes documents of what goes wrong in patches: integers beyond 2^53, names that need escapes
// or that libraries stumble over, nulls, and arrays that grow, shrink and shift.
type Generator struct{ *rand.Rand }

// New returns a generator with another seed each time, which a failing test prints. STATE_SEED repeats one.
func New(t *testing.T) Generator {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("STATE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("STATE_SEED=%d repeats this", seed)
	return Generator{rand.New(rand.NewPCG(seed, 2))}
}

var (
	// Keys are names of members.
	Keys = []string{"", "a", "b", "a/b", "~", "~1", "m~n", "ключ", "\"", "\\", "\n", "0", "-", "01",
		"__proto__", "constructor", "prototype", "length", "<&>", "\u2028", "😀"}
	scalars = []any{nil, true, false, "", "x", "é\u0000\u001f\"\\", "<b>&", json.Number("0"), json.Number("1"),
		json.Number("1.0"), json.Number("-0"), json.Number("1e3"), json.Number("9007199254740993"),
		json.Number("12345678901234567890123"), json.Number("-9223372036854775809"),
		json.Number("12.0"), json.Number("150e-2"), json.Number("0.10"), json.Number("1e-400"), json.Number("1e400")}
)

// Pick returns an element of from.
func Pick[T any](g Generator, from []T) T { return from[g.IntN(len(from))] }

// Object returns an object that nests up to depth.
func (g Generator) Object(depth int) map[string]any {
	m := map[string]any{}
	for range g.IntN(5) {
		m[Pick(g, Keys)] = g.Value(depth - 1)
	}
	return m
}

// Value returns a value that nests up to depth.
func (g Generator) Value(depth int) any {
	if depth > 0 {
		switch g.IntN(4) {
		case 0:
			return g.Object(depth)
		case 1:
			list := make([]any, g.IntN(6))
			for i := range list {
				list[i] = g.Value(depth - 1)
			}
			return list
		}
	}
	return Pick(g, scalars)
}

// Echo returns raw as a browser that was sent it sends it back: numbers are float64, spelled as ECMAScript spells them,
// which encoding/json does too, and null where there is no such float64.
func Echo(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	v, err := jsonpatch.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	var browser func(v any) any
	browser = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			f, err := v.Float64()
			if err != nil {
				return nil
			}
			if f == 0 {
				return json.Number("0") // -0 too
			}
			text, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			return json.Number(text)
		case []any:
			for i := range v {
				v[i] = browser(v[i])
			}
		case map[string]any:
			for key := range v {
				v[key] = browser(v[key])
			}
		}
		return v
	}
	return browser(v)
}
