package a2ui

import (
	"encoding/json"
	"errors"
)

// ErrAction is the error of [ReadAction].
var ErrAction = errors.New("a2ui: no action")

// ReadAction returns the message to the agent about an action in a surface: {"name", "surfaceId", "sourceComponentId",
// "context"}, in the words of CopilotKit's A2UI middleware. It does not check that the surface exists.
func ReadAction(raw json.RawMessage) (string, error) {
	var action struct {
		Name      string          `json:"name"`
		Surface   string          `json:"surfaceId"`
		Component string          `json:"sourceComponentId"`
		Context   json.RawMessage `json:"context"`
	}
	if len(raw) > MaxAction || json.Unmarshal(raw, &action) != nil || action.Name == "" || action.Surface == "" {
		return "", ErrAction
	}
	told := `User performed action "` + action.Name + `" on surface "` + action.Surface + `"`
	if action.Component != "" {
		told += " (component: " + action.Component + ")"
	}
	if len(action.Context) == 0 || string(action.Context) == "null" {
		action.Context = json.RawMessage("{}")
	}
	return told + ". Context: " + string(action.Context), nil
}
