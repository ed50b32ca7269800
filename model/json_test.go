package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestObject is the answer in a reply, with words around it, and nothing for a reply that has none.
func TestObject(t *testing.T) {
	t.Parallel()
	long := `{"message":"` + strings.Repeat("long ", 200_000) + `"}`
	for text, want := range map[string]string{
		`{"a":1}`:                               `{"a":1}`,
		" \ufeff{\"a\":1}\n":                    `{"a":1}`,
		"```json\n{\"a\":1}\n```":               `{"a":1}`,
		"Here:\n```json\n{\"a\":1}\n```\nEnjoy": `{"a":1}`,
		"<think>{\"a\":0}?</think>{\"a\":1}":    `{"a":1}`,
		"<think>{\"a\":0}</think>I do not know": "",
		"<think>{\"a\":0}":                      "",
		"Here: {\"a\":1}. Or rather {\"a\":2}!": `{"a":2}`,
		`{ is a brace, {"a":{"b":1}} is not`:    `{"a":{"b":1}}`,
		`{"a":"}"} [1]`:                         `{"a":"}"}`,
		"none":                                  "",
		"5":                                     "",
		strings.Repeat("{", 50) + `"a":1}`:      `{"a":1}`,
		strings.Repeat(`\frac{x}`, 500) + long:  long,
		strings.Repeat(`{"":`, 1<<18):           "", // each brace would have some 40,000 bytes read
	} {
		if got := string(Object(text)); got != want {
			t.Errorf("Object(%.40s) = %.40s, want %.40s", text, got, want)
		}
	}
}

// TestValues are the last ones of a reply, and the whole reply if it is one.
func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a text"`: `["a text"]`, "```\n5\n```": `[5]`, `[1] and {"a":[2]}`: `[{"a":[2]},[1]]`, "5 and 6": `null`,
		strings.Repeat("{}", 40): `[` + strings.Repeat("{},", maxValues-1) + `{}]`,
	} {
		if got, err := json.Marshal(Values(text)); err != nil || string(got) != want {
			t.Errorf("Values(%.20s) = %s, %v, want %s", text, got, err, want)
		}
	}
}

func FuzzValues(f *testing.F) {
	f.Add(`x {"a":{}} {"b":1} y`)
	f.Add(`{{{"a":`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, value := range Values(text) {
			if !json.Valid(value) {
				t.Errorf("Values(%q) has %s", text, value)
			}
		}
	})
}
