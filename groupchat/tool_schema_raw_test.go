package groupchat

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/internal/schema"
)

// A json.RawMessage among the arguments of a tool is any value, as it is for encoding/json, and not a list of bytes.
func TestRawArgumentsAreAnyValue(t *testing.T) {
	t.Parallel()
	var got json.RawMessage
	tool := NewTool("note", "Notes a value.", func(_ context.Context, _ ToolCall, in struct {
		Value json.RawMessage            `json:"value"`
		More  map[string]json.RawMessage `json:"more,omitempty"`
	}) (string, error) {
		got = in.Value
		return "noted", nil
	})
	compiled, err := schema.Compile(tool.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{`{"a":1}`, `"text"`, `7`, `true`, `null`, `[1,"two"]`} {
		arguments := json.RawMessage(`{"value":` + value + `,"more":{"x":` + value + `}}`)
		if err := compiled.Check(arguments); err != nil {
			t.Errorf("%s is refused: %v", arguments, err)
			continue
		}
		if _, err := tool.Call(t.Context(), ToolCall{Arguments: arguments}); err != nil || string(got) != value {
			t.Errorf("%s: the tool is given %s, %v", arguments, got, err)
		}
	}
}
