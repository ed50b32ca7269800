package a2a

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

// A question is what a task waits for, as an interrupt's id has it: which task, and which status of it.
type question struct{ taskID, key string }

func (q question) id() string { return url.PathEscape(q.taskID) + "#" + q.key }

// parseQuestion is the question of an interrupt's id.
func parseQuestion(id string) *question {
	escaped, key, _ := strings.Cut(id, "#")
	taskID, err := url.PathUnescape(escaped)
	if err != nil {
		taskID = escaped
	}
	return &question{taskID, key}
}

func (s *taskStatus) interrupt(taskID string) agui.Interrupt {
	i := agui.Interrupt{ID: question{taskID, s.key()}.id(), Reason: "input_required", Message: s.text()}
	if s.State == stateAuthRequired {
		i.Reason = "a2a:auth_required"
	}
	if s.Message == nil {
		return i
	}
	for _, p := range s.Message.Parts {
		if schema := schemaIn(p.Data); schema != nil {
			i.ResponseSchema = schema
		}
	}
	return i
}

// schemaIn is the form that data of a question asks to be filled in: a JSON Schema of an object, as it is or as the
// member schema; nil if there is none.
func schemaIn(data json.RawMessage) json.RawMessage {
	var body struct {
		Type       json.RawMessage            `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Schema     json.RawMessage            `json:"schema"`
	}
	switch {
	case exact.Unmarshal(data, &body) != nil:
		return nil
	case string(body.Type) == `"object"` && body.Properties != nil:
		return data
	case body.Schema != nil:
		return schemaIn(body.Schema)
	default:
		return nil
	}
}

func (s *taskStatus) text() string {
	if s.Message == nil {
		return ""
	}
	return surrogate.Text(textOf(s.Message.Parts, "\n")).Valid()
}
