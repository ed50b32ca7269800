package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzValid holds the short way of checking syntax against that of encoding/json.
func FuzzValid(f *testing.F) {
	for _, s := range []string{
		``, ` `, `{}`, `[]`, ` { "a" : [ 1 , -0.5e+7, true,false ,null, "x" ] , "b":{}} `, `{"a":1,}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{1:2}`, `{"a":1 "b":2}`,
		`01`, `-`, `1.`, `1e`, `.5`, `+1`, `tru`, `nulll`, `"`, `"\u12x4"`, `"\u1234"`, `"\q"`, `"\`, `"\u12`, "\"a\x1fb\"", "\"12345678\x7f\x80\xff\"", "\"1234567\"8\"", `[}`, `{]`, `1 2`, `[1`, `{"a":[{"b":[]}]}`,
		"\"\x80!\xa2\xdc\x01\"", `"abcdefgh\\ijklmnop\"q"`, strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := Valid(data), json.Valid(data); got != want {
			t.Fatalf("Valid(%.1000q) = %t, want %t", data, got, want)
		}
	})
}
