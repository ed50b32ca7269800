package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/internal/schemacost"
)

// chained is a schema of n definitions each of which asks twice for the next.
func chained(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	return `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"d%d":{"type":"string"}}}`, n)
}

// TestAnswersThatCostTooMuch are not held against their schemas, which may be a remote server's.
func TestAnswersThatCostTooMuch(t *testing.T) {
	t.Parallel()
	numbers := "[" + strings.Repeat("1e999999,", 100_000) + "1]" // each a number of a million digits
	for _, tt := range []struct{ name, schema, answer string }{
		{"2 to the 40th", chained(40), `"x"`},
		{"itself", `{"$ref":"#"}`, `1`},
		{"itself, not", `{"not":{"$ref":"#"}}`, `1`},
		{"twice with each member", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)},
		{"large numbers", `{"items":{"type":"integer"}}`, numbers},
		{"many alternatives for many items", `{"items":{"anyOf":[` + strings.Repeat(`{"const":1},`, 1000) + `true]}}`, "[" + strings.Repeat("0,", 10_000) + "0]"},
	} {
		if err := CheckSchema(json.RawMessage(tt.schema)); err != nil {
			t.Errorf("%s: CheckSchema() = %v", tt.name, err)
		}
		if err := ValidateAnswer(json.RawMessage(tt.schema), json.RawMessage(tt.answer)); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: ValidateAnswer() = %v, want %v", tt.name, err, ErrAnswer)
		}
	}
	for name, schema := range map[string]string{
		"a large machine": `{"pattern":"` + strings.Repeat("a{1000}", 6) + `"}`, "a megabyte": `{"description":"` + strings.Repeat("x", 1<<20) + `"}`,
		"a number of a million digits": `{"minimum":1e999999}`, "deep": strings.Repeat(`{"not":`, 200) + "{}" + strings.Repeat("}", 200),
	} {
		if err := CheckSchema(json.RawMessage(schema)); !errors.Is(err, schemacost.ErrCost) {
			t.Errorf("%s: CheckSchema() = %v, want it refused", name, err)
		}
	}
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{`{"$ref":"#"}`, chained(5), `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, `{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","items":[{"$ref":"#"}]}`, `true`} {
		f.Add(s, `{"a":{"a":[1,1e30,"x"]}}`)
	}
	f.Fuzz(func(_ *testing.T, schema, answer string) {
		_ = ValidateAnswer(json.RawMessage(schema), json.RawMessage(answer)) // that it comes back is all
	})
}
