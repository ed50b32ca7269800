package a2ui

import (
	"encoding/json"
	"errors"
)

// ErrAction is the error of [ReadAction].
var ErrAction = errors.New("a2ui: no action")

// ReadAction returns what an agent is told of what a person did in a surface: {"name", "surfaceId", "sourceComponentId", "context"}. The words
// are those of CopilotKit's A2UI middleware. Whether the surface is there is not looked at: the agent is told of it all the same.
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
