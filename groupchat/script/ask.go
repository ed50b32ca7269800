package script

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat"
)

// cancelledText is what a script says when a person cancels a question.
const cancelledText = "All right, I leave it at that."

// errCancelled ends a script after a cancelled question.
type errCancelled struct{}

func (errCancelled) Error() string { return "script: a question was cancelled" }

// ask asks the questions that are not answered yet.
func (w *walk) ask(asks []Ask, at place, v values) (over bool, err error) {
	questions := make([]groupchat.Question, len(asks))
	for i, a := range asks {
		if questions[i], err = a.question(at, v); err != nil {
			return false, err
		}
	}
	given, err := w.t.AskAll(questions...)
	if err != nil {
		return false, err
	}
	for i, a := range given {
		if a.Cancelled {
			return true, errCancelled{}
		}
		w.last = a.Payload
		if asks[i].Schema == nil {
			w.last = bare(a.Payload)
		}
		v.learn(asks[i].Key, w.last)
	}
	return false, nil
}

func (a *Ask) question(at place, v values) (groupchat.Question, error) {
	q := groupchat.Question{Key: a.Key + at.items, Message: v.text(a.Message), TTL: a.TTL, Value: v.fill(a.Value)}
	if a.Schema != nil {
		schema, err := json.Marshal(a.Schema)
		q.Schema = schema
		return q, err
	}
	value := map[string]any{}
	switch options := v.fill(a.Options).(type) {
	case []any:
		if a.Options != nil {
			q.Options, value["enum"] = options, options
		}
	default:
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"value"}, "properties": map[string]any{"value": value},
	})
	q.Schema = schema
	return q, err
}

// bare is X of an answer {value: X}, or of X itself.
func bare(payload json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(payload, &object) == nil {
		if value, ok := object["value"]; ok {
			return value
		}
	}
	return payload
}
