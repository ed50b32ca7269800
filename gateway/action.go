package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// actionTool is the name of the call by which an agent is told what a person did in a surface. The agent cannot make it.
const actionTool = "log_a2ui_event"

// addAction adds to in what a person did in a surface, if its forwarded properties tell of that: a call of the agent's that nobody made, and
// its result, as CopilotKit's A2UI middleware tells agents. Where the middleware has added them already, ours take their place: a thread takes
// no words of agents from clients. It returns the id of the call; empty if there is no action.
func addAction(in *agui.RunAgentInput) (string, error) {
	var props struct {
		Action struct {
			User json.RawMessage `json:"userAction"`
		} `json:"a2uiAction"`
	}
	// Properties of another shape are the application's own.
	if exact.Unmarshal(in.ForwardedProps, &props) != nil || len(props.Action.User) == 0 || bytes.Equal(props.Action.User, []byte("null")) {
		return "", nil
	}
	const where = "forwardedProps.a2uiAction.userAction"
	if len(props.Action.User) > a2ui.MaxAction {
		return "", &agui.FieldError{Path: where, Problem: fmt.Sprintf("has more than %d bytes", a2ui.MaxAction)}
	}
	told, err := a2ui.ReadAction(props.Action.User)
	if err != nil {
		return "", &agui.FieldError{Path: where, Problem: "is no object with the name of an action and the id of a surface"}
	}
	id := actionPrefix + state.Hash([]byte(in.ThreadID), []byte(in.RunID), props.Action.User)[:24]
	in.Messages = slices.DeleteFunc(in.Messages, func(m agui.Message) bool {
		if m.ID == id || m.ID == id+"-result" || m.ToolCallID == id { // a client can compute the id
			return true
		}
		return slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool { return c.Function.Name == actionTool && !ownAction(c.ID) }) && m.Content.Text() == ""
	})
	in.Messages = append(in.Messages,
		agui.Message{ID: id, Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{
			ID: id, Type: "function", Function: agui.FunctionCall{Name: actionTool, Arguments: string(props.Action.User)},
		}}},
		agui.Message{ID: id + "-result", Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent(told)},
	)
	return id, nil
}

// actionPrefix begins the ids of the calls that tell of actions.
const actionPrefix = "a2ui-action-"

func ownAction(call string) bool {
	return len(call) > len(actionPrefix) && call[:len(actionPrefix)] == actionPrefix
}
