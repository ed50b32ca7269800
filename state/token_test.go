package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``: "", `null`: "", `{`: "", `{} {}`: "",
		`false`: `false`, `0`: `0`, `""`: `""`, `[]`: `[]`,
		` { "b" : 1.0 , "a" : "<é>" } `: `{"a":"<é>","b":1.0}`,
		`12345678901234567890123`:       `12345678901234567890123`,
		`"{\"b\":1,\"a\":[1, 2]}"`:      `{"a":[1,2],"b":1}`,
		`"[ 1 ]"`:                       `[1]`,
		`"\"KLM\""`:                     `"KLM"`,
		`"7"`:                           `"7"`,
		`"null"`:                        `"null"`,
		`"{not json"`:                   `"{not json"`,
	} {
		if got := string(Canonical(json.RawMessage(in))); got != want {
			t.Errorf("Canonical(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestRepeatsName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		`{"approved":false,"approved":true}`:           true,
		`{"approved":false,"approve\u0064":true}`:      true,
		`"{\"approved\":false,\"approved\":true}"`:     true,
		`"\"{\\\"a\\\":1,\\\"a\\\":2}\""`:              true,
		`{"editedArgs":{"amount":1,"b":2,"amount":3}}`: true,
		`[{"a":1},[{"b":{},"a":[],"b":{}}]]`:           true,
		`{"a":{"a":["a","a"]},"b":{"a":"a"}}`:          false,
		`{"approved":true,"Approved":false}`:           false,
		`[{"a":1},{"a":1}]`:                            false,
		`"a"`:                                          false,
		`7`:                                            false,
		``:                                             false,
		`{"a":1`:                                       false,
	} {
		if got := RepeatsName(json.RawMessage(in)); got != want {
			t.Errorf("RepeatsName(%s) = %t, want %t", in, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	const (
		one  = `{"type":"object","required":["v"],"properties":{"v":{"enum":["S",1,true]}}}`
		two  = `{"type":"object","required":["v","w"]}`
		flag = `{"type":"boolean"}`
	)
	for _, test := range []struct{ schema, payload, want string }{
		{one, `{"v":"S"}`, `{"v":"S"}`}, {one, `"S"`, `{"v":"S"}`}, {one, `1`, `{"v":1}`}, {one, `"1"`, `{"v":1}`},
		{one, `"true"`, `{"v":true}`}, {one, `"M"`, ""}, {one, `{"w":1}`, ""},
		{two, `"S"`, ""}, {two, `{"v":1,"w":2}`, `{"v":1,"w":2}`},
		{flag, `false`, `false`}, {flag, `"false"`, `false`}, {flag, `0`, ""},
		{"", `"7"`, `"7"`}, {"", `0`, `0`}, {"", "", ""},
		{`{"type":7}`, `1`, ""},
	} {
		if got := string(FitAnswer(json.RawMessage(test.schema), json.RawMessage(test.payload))); got != test.want {
			t.Errorf("fit(%s, %s) = %s, want %s", test.schema, test.payload, got, test.want)
		}
	}
}

func TestSchemaOpensNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"file://" + file, file, "http://127.0.0.1:1/x", "other.json"} {
		if err := CheckSchema(json.RawMessage(`{"$ref":"` + ref + `"}`)); err == nil {
			t.Errorf("CheckSchema() accepts a reference to %s", ref)
		}
	}
	inner := json.RawMessage(`{"$defs":{"s":{"type":"string"}},"$ref":"#/$defs/s"}`)
	if err := CheckSchema(inner); err != nil {
		t.Errorf("CheckSchema() = %v", err)
	}
	if err := ValidateAnswer(inner, json.RawMessage(`7`)); !errors.Is(err, ErrAnswer) || strings.Contains(err.Error(), "7") {
		t.Errorf("ValidateAnswer() = %v", err)
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", " Plan\n a  trip ": "Plan a trip",
		strings.Repeat("é", 80): strings.Repeat("é", 80),
		strings.Repeat("é", 81): strings.Repeat("é", 79) + "…",
	} {
		if got := title(in); got != want {
			t.Errorf("title(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAddUsage(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	first := []agui.TokenUsage{{Provider: "p", Model: "m", InputTokens: n(1)}}
	got := AddUsage(first, []agui.TokenUsage{
		{Provider: "p", Model: "m", InputTokens: n(2), OutputTokens: n(3)}, {Provider: "p", Model: "other", TotalTokens: n(4)},
	})
	if len(got) != 2 || *got[0].InputTokens != 3 || *got[0].OutputTokens != 3 || got[0].TotalTokens != nil || *got[1].TotalTokens != 4 {
		t.Errorf("AddUsage() = %+v", got)
	}
	if *first[0].InputTokens != 1 {
		t.Errorf("AddUsage() changes its argument: %d", *first[0].InputTokens)
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	thread := &Thread{Key: Key{Principal: "p", Agent: "a/ü", ID: "id"}, UpdatedAt: noon}
	c := CursorOf(thread)
	back, err := ParseCursor(c.String())
	if err != nil || back.Compare(c) != 0 || strings.Contains(c.String(), "p\"") {
		t.Errorf("ParseCursor(%s) = %+v, %v", c, back, err)
	}
	for _, bad := range []string{"", "!", "bm8"} {
		if _, err := ParseCursor(bad); !errors.Is(err, ErrCursor) {
			t.Errorf("ParseCursor(%q) = %v", bad, err)
		}
	}
}

func TestABareAnswerTakesTheFormItsSchemaAsksFor(t *testing.T) {
	t.Parallel()
	const one = `{"type":"object","required":["value"]}`
	for _, test := range []struct{ schema, payload, want string }{
		{one, `"S"`, `{"value":"S"}`},
		{one, `7`, `{"value":7}`},
		{one, `[1]`, `{"value":[1]}`},
		{one, `{"value":"S"}`, `{"value":"S"}`},
		{one, `{"value":null}`, `{"value":null}`},
		{one, `{"name":"Zoe"}`, `{"value":{"name":"Zoe"}}`},
		{`{"required":["a","b"]}`, `"S"`, `"S"`},
		{`{}`, `"S"`, `"S"`},
		{``, `"S"`, `"S"`},
	} {
		forms := spellings([]byte(test.schema), []byte(test.payload))
		if got := forms[len(forms)-1]; string(got) != test.want {
			t.Errorf("spellings(%s, %s) end with %s, want %s", test.schema, test.payload, got, test.want)
		}
	}
}

// A run that ends must be able to say what it used, whatever a remote agent claims.
func TestAddUsageStaysWithinAnInteger(t *testing.T) {
	t.Parallel()
	most := int64(1<<53 - 1)
	claimed := []agui.TokenUsage{{Provider: "p", Model: "m", InputTokens: &most}}
	got := AddUsage(claimed, claimed)
	if *got[0].InputTokens != most {
		t.Errorf("AddUsage() = %d, want %d, which is all that clients can read", *got[0].InputTokens, most)
	}
}

func TestHashesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, parts := range [][]string{{"a", "b"}, {"a\x00b"}, {"a", "b", ""}, {"", "a", "b"}, {"ab"}, {"ab", ""}, {"a\x00", "b"}, {"a", "\x00b"}, {"a"}, {}, {""}, {"", ""}} {
		var data [][]byte
		for _, part := range parts {
			data = append(data, []byte(part))
		}
		text := fmt.Sprintf("%q", parts)
		for kind, hash := range map[string]string{"Hash": Hash(data...), "Digest": Digest(parts...)} {
			if other := seen[kind+hash]; other != "" {
				t.Errorf("%s of %s is that of %s", kind, text, other)
			}
			seen[kind+hash] = text
		}
	}
}
