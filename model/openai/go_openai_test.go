package openai

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"
)

// TestWhatGoOpenAILacks: the reasons in docs/adr/0016-readers-of-model-streams.md for types that replace go-openai's. Where
// one of them fails, go-openai has learned it, and its own type can be used.
func TestWhatGoOpenAILacks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		value any
		want  string
	}{
		"a temperature of 0 is omitted":          {goopenai.ChatCompletionRequest{Temperature: 0}, `{"model":"","messages":null,"stream":false}`},
		"an empty result of a tool is omitted":   {goopenai.ChatCompletionMessage{Role: "tool", ToolCallID: "1"}, `{"role":"tool","tool_call_id":"1"}`},
		"strict is sent where it is not enabled": {goopenai.ChatCompletionResponseFormatJSONSchema{Schema: json.RawMessage(`{}`)}, `{"name":"","schema":{},"strict":false}`},
	} {
		if raw, err := json.Marshal(tt.value); err != nil || string(raw) != tt.want {
			t.Errorf("%s: %s, %v, want %s", name, raw, err, tt.want)
		}
	}
	for member, lacking := range map[string]reflect.Type{
		"reasoning":         reflect.TypeFor[goopenai.ChatCompletionMessage](),
		"reasoning_details": reflect.TypeFor[goopenai.ChatCompletionMessage](),
		"extra_content":     reflect.TypeFor[goopenai.ToolCall](),
		"file":              reflect.TypeFor[goopenai.ChatMessagePart](),
		"input_audio":       reflect.TypeFor[goopenai.ChatMessagePart](),
	} {
		if slices.ContainsFunc(reflect.VisibleFields(lacking), func(f reflect.StructField) bool {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return name == member
		}) {
			t.Errorf("%v has the member %s", lacking, member)
		}
	}
}
