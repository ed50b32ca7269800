package state

import (
	"encoding/json"
	"testing"
)

// TestListsOfItemSchemas: schemas of older drafts, which tools of other servers have, list a schema for each item.
func TestListsOfItemSchemas(t *testing.T) {
	t.Parallel()
	const pair = `"type":"object","properties":{"at":{"type":"array","items":[{"type":"number"},{"type":"string"}],"additionalItems":false}}`
	for _, tt := range []struct {
		name, schema string
		compiles     bool
		matches      map[string]bool
	}{
		{"without a draft", `{` + pair + `}`, true, map[string]bool{`{"at":[1,"x"]}`: true, `{"at":["x",1]}`: false, `{"at":[1,"x",2]}`: false}},
		{"of draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#",` + pair + `}`, true, map[string]bool{`{"at":[1,"x"]}`: true, `{"at":[1,2]}`: false}},
		{"of draft 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema",` + pair + `}`, false, nil},
		{"prefixItems", `{"prefixItems":[{"type":"number"}],"items":{"type":"string"}}`, true, map[string]bool{`[1,"x"]`: true, `[1,2]`: false}},
		{"no schema in any draft", `{"type":7}`, false, nil},
	} {
		s, err := CompileSchema(json.RawMessage(tt.schema))
		if (err == nil) != tt.compiles {
			t.Errorf("%s: CompileSchema() = %v, want success = %v", tt.name, err, tt.compiles)
		}
		for value, want := range tt.matches {
			if problems := s.Problems(json.RawMessage(value)); (problems == nil) != want {
				t.Errorf("%s: %s: %v, want a match = %v", tt.name, value, problems, want)
			}
		}
	}
}
