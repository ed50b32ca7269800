package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// A form says which of the members that not every server takes are in a request. The zero form has all of them.
type form struct {
	structured     level // of a request with a schema
	noUsage        bool  // chat: without stream_options
	otherMaxTokens bool  // chat: with the other name of max_tokens
	noInclude      bool  // responses: without include
	noSummary      bool  // responses: without reasoning.summary
}

type level int

// The levels, from the one that binds most.
const (
	strictSchema level = iota
	looseSchema
	anyObject
	inWords
)

// String names the level for the log.
func (l level) String() string {
	return [...]string{"json_schema, strict", "json_schema", "json_object", "no response_format"}[l]
}

// firstLevel returns the strictest level for r; highest is the one that the options or earlier refusals allow.
func firstLevel(r model.Request, highest level) level {
	l := highest
	if l == strictSchema && !r.Strict {
		l = looseSchema
	}
	if l == anyObject && !isObjectSchema(r.Schema) {
		l = inWords
	}
	return l
}

// isObjectSchema reports whether schema may match an object. Without a type, it is taken to.
func isObjectSchema(schema json.RawMessage) bool {
	var s struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Type) == 0 {
		return true
	}
	var list []string
	return jsonText(s.Type) == "object" || json.Unmarshal(s.Type, &list) == nil && slices.Contains(list, "object")
}

// responseFormat is the member that asks for r's schema.
func responseFormat(r model.Request, l level) any {
	if r.Schema == nil {
		return nil
	}
	switch l {
	case strictSchema, looseSchema:
		return map[string]any{"type": "json_schema", "json_schema": namedSchema(r, l)}
	case anyObject:
		return map[string]any{"type": "json_object"}
	default:
		return nil
	}
}

func namedSchema(r model.Request, l level) map[string]any {
	named := map[string]any{"name": model.ToolName(r.SchemaName), "schema": r.Schema}
	if l == strictSchema {
		named["strict"] = true
	}
	return named
}

// withSchemaTold are r's messages, of which the system's, the first, tells the schema if nothing else does.
func withSchemaTold(r model.Request, l level) []model.Message {
	if r.Schema == nil || l < anyObject {
		return r.Messages
	}
	told := "Answer with JSON that matches this JSON Schema, and with nothing else, no fence around it: " +
		string(r.Schema)
	messages := slices.Clone(r.Messages)
	if len(messages) > 0 && messages[0].Role == agui.RoleSystem && messages[0].Parts == nil {
		messages[0].Text = strings.TrimSpace(messages[0].Text + "\n\n" + told)
		return messages
	}
	return slices.Insert(messages, 0, model.Message{Role: agui.RoleSystem, Text: told})
}
