package groupchat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/internal/schemacost"
)

// doubling is a schema of n definitions each of which asks twice for the next.
func doubling(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	return `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"d%d":{"type":"string"}}}`, n)
}

// TestSchemasOfOtherServersEnd gives a model's arguments to schemas as an MCP server may send them. The library follows
// a reference to itself until the process dies of its stack, which no recover stops; here the arguments are refused
// instead.
func TestSchemasOfOtherServersEnd(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"itself":                    `{"$ref":"#"}`,
		"itself, one step away":     `{"allOf":[{"anyOf":[{"$ref":"#/allOf/0"}]}]}`,
		"a member that is itself":   `{"properties":{"a":{"$ref":"#/properties/a"}}}`,
		"2 to the 40th":             doubling(40),
		"twice with each member":    `{"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`,
		"as the steps of a dialect": `{"$schema":"http://json-schema.org/draft-04/schema#","not":{"$ref":"#"}}`,
	} {
		s, err := schema.Compile(json.RawMessage(text))
		if err != nil {
			continue // it is refused at once
		}
		arguments := strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)
		if err := s.Check(json.RawMessage(arguments)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, text := range map[string]string{
		"a file": `{"$ref":"file:///etc/passwd"}`, "the metadata": `{"$ref":"http://169.254.169.254/latest"}`, "an anchor": `{"$dynamicRef":"#a","$defs":{"a":{"$dynamicAnchor":"a"}}}`,
		"a large machine": `{"pattern":"` + strings.Repeat("a{1000}", 6) + `"}`, "a megabyte": `{"description":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		if _, err := schema.Compile(json.RawMessage(text)); !errors.Is(err, schemacost.ErrCost) {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
}

func FuzzToolSchema(f *testing.F) {
	for _, s := range []string{`{"$ref":"#"}`, doubling(5), `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, `{"patternProperties":{"^a":{"type":"integer"}},"uniqueItems":true}`, `true`} {
		f.Add(s, `{"a":{"a":[1,1e30,"x"]}}`)
	}
	f.Fuzz(func(_ *testing.T, text, arguments string) {
		if s, err := schema.Compile(json.RawMessage(text)); err == nil {
			_ = s.Check(json.RawMessage(arguments)) // that it comes back is all
		}
	})
}

func BenchmarkArguments(b *testing.B) {
	tool := lookTool("", nil)
	tool.Parameters = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer","minimum":1}},"required":["city"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tool.arguments(`{"city":"Paris","days":3}`); err != nil {
			b.Fatal(err)
		}
	}
}
