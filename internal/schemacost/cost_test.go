package schemacost

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// chain is a schema of n definitions, each of which asks twice for the next: 2^n steps in a few lines.
func chain(n int, combinator string) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, combinator, i+1, i+1))
	}
	return `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"d%d":{"type":"string"}}}`, n)
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return `{"enum":["` + strings.Repeat("x", n-len(`{"enum":[""]}`)) + `"]}` }
	tests := []struct {
		name, schema string
		dear         bool
	}{
		{"everything", `true`, false},
		{"nothing", `false`, false},
		{"ordinary", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^[a-z]+$"}},"additionalProperties":false}`, false},
		{"a tree", `{"$defs":{"node":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}},"$ref":"#/$defs/node"}`, false},
		{"its name", `{"$id":"https://example.com/a","$ref":"#/$defs/b","$defs":{"b":{}}}`, false},
		{"parts with names", `{"$defs":{"b":{"$id":"https://example.com/b"}},"$ref":"#/$defs/b"}`, true},
		{"a member called id", `{"$defs":{"b":{"default":{"id":"x"}}},"$ref":"#/$defs/b"}`, false},
		{"a file", `{"$ref":"file:///etc/passwd"}`, true},
		{"a URL", `{"$ref":"http://169.254.169.254/latest"}`, true},
		{"beside it", `{"$ref":"other.json"}`, true},
		{"an anchor", `{"$ref":"#a","$defs":{"a":{"$anchor":"a"}}}`, true},
		{"a dynamic reference", `{"$dynamicRef":"#a"}`, true},
		{"a recursive reference", `{"$recursiveRef":"#"}`, true},
		{"all the bytes", long(MaxBytes), false},
		{"a byte more", long(MaxBytes + 1), true},
		{"all the values", `{"enum":[` + strings.Repeat("0,", MaxValues-3) + `0]}`, false},
		{"a value more", `{"enum":[` + strings.Repeat("0,", MaxValues-2) + `0]}`, true},
		{"as deep as may be", strings.Repeat(`{"not":`, MaxDepth) + "true" + strings.Repeat("}", MaxDepth), false},
		{"deeper", strings.Repeat(`{"not":`, MaxDepth+1) + "true" + strings.Repeat("}", MaxDepth+1), true},
		{"a slow pattern, which is none here", `{"pattern":"^(a+)+$"}`, false},
		{"a large machine", `{"pattern":"` + strings.Repeat("a{1000}", 6) + `"}`, true},
		{"a large machine for names", `{"patternProperties":{"` + strings.Repeat("a{1000}", 6) + `":{}}}`, true},
		{"a number", `{"minimum":1e400}`, false},
		{"a number that is too large", `{"minimum":1e401}`, true},
		{"a small number that is too small", `{"minimum":1e-999999}`, true},
		{"a long number", `{"minimum":` + strings.Repeat("9", MaxNumber+1) + `}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := New(json.RawMessage(tt.schema)); errors.Is(err, ErrCost) != tt.dear || err != nil && !tt.dear {
				t.Errorf("New() = %v, want an error: %v", err, tt.dear)
			}
		})
	}
	if _, err := New(json.RawMessage(`{`)); err == nil || errors.Is(err, ErrCost) {
		t.Errorf("New({) = %v", err)
	}
	if _, err := New(json.RawMessage(`{}{}`)); err == nil {
		t.Error("New({}{}) = nil")
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	many := "[" + strings.Repeat("0,", 100_000) + "0]"
	tests := []struct {
		name, schema, value string
		dear                bool
	}{
		{"ordinary", `{"properties":{"a":{"type":"string"}}}`, `{"a":"b"}`, false},
		{"itself", `{"$ref":"#"}`, `1`, true},
		{"itself in all", `{"allOf":[{"$ref":"#"}]}`, `1`, true},
		{"itself, not", `{"not":{"$ref":"#"}}`, `1`, true},
		{"itself, if", `{"if":{"$ref":"#"}}`, `1`, true},
		{"itself where something depends", `{"dependentSchemas":{"a":{"$ref":"#"}}}`, `{}`, true},
		{"itself by a path with escapes", `{"$defs":{"a/b ~":{"$ref":"#/$defs/a~1b%20~0"}},"$ref":"#/$defs/a~1b%20~0"}`, `1`, true},
		{"itself within a list", `{"anyOf":[true,{"$ref":"#/anyOf/1"}]}`, `1`, true},
		{"a place that is not there", `{"$ref":"#/anyOf/7/x/y"}`, `1`, false},
		{"itself below a member", `{"properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{"a":1}}}`, false},
		{"10 times twice", chain(10, "allOf"), `"x"`, false},
		{"30 times twice, all", chain(30, "allOf"), `"x"`, true},
		{"30 times twice, any", chain(30, "anyOf"), `"x"`, true},
		{"30 times twice, one", chain(30, "oneOf"), `"x"`, true},
		{"twice with each member", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), true},
		{"twice with each item", `{"items":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}`, strings.Repeat("[", 40) + strings.Repeat("]", 40), true},
		{"many items", `{"items":{"type":"integer"}}`, many, false},
		{"many items, in many ways", `{"items":{"anyOf":[` + strings.Repeat(`{"const":1},`, 20) + `true]}}`, many, true},
		{"many items, each of them one of many", `{"items":{"enum":[` + strings.Repeat("1,", 50) + `1]}}`, many, true},
		{"a thousand items that differ", `{"uniqueItems":true}`, "[" + strings.Repeat("0,", 1000) + "0]", false},
		{"many items that differ", `{"uniqueItems":true}`, many, true},
		{"items of which one is found", `{"contains":{"enum":[` + strings.Repeat("1,", 50) + `1]}}`, many, true},
		{"a list of schemas", `{"prefixItems":[true,{"$ref":"#/prefixItems/1"}]}`, `[1,2]`, true},
		{"other members", `{"additionalProperties":{"$ref":"#/additionalProperties"}}`, `{"a":1}`, true},
		{"names", `{"propertyNames":{"$ref":"#/propertyNames"}}`, `{"a":1}`, true},
		{"names by pattern", `{"patternProperties":{"a":{"$ref":"#/patternProperties/a"}}}`, `{"a":1}`, true},
		{"a long text and a large machine", `{"pattern":"` + strings.Repeat("(a|b){500}", 3) + `"}`, `"` + strings.Repeat("a", 1<<20) + `"`, true},
		{"a long text and a small machine", `{"pattern":"^a+$"}`, `"` + strings.Repeat("a", 1<<20) + `"`, false},
		{"a number beyond all", `{"type":"integer"}`, `[1e999999]`, true},
		{"a long number", `{"type":"integer"}`, `{"a":` + strings.Repeat("9", MaxNumber+1) + `}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, err := New(json.RawMessage(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Check(json.RawMessage(tt.value)); errors.Is(err, ErrCost) != tt.dear || err != nil && !tt.dear {
				t.Errorf("Check() = %v, want an error: %v", err, tt.dear)
			}
		})
	}
}
