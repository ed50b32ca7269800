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

// actionTool is the call that reports a person's action in a surface to the agent. The agent cannot make it.
const actionTool = "log_a2ui_event"

// addAction appends the action of a surface in the forwarded properties, if there is one, to in: a synthetic call of
// the agent and its result, in the form of CopilotKit's A2UI middleware. If the middleware has appended them already,
// ours replace them: a thread accepts no agent messages from clients. It returns the call's id, or "".
func addAction(in *agui.RunAgentInput) (string, error) {
	var props struct {
		Action struct {
			User json.RawMessage `json:"userAction"`
		} `json:"a2uiAction"`
	}
	// Properties of another form belong to the application.
	if exact.Unmarshal(in.ForwardedProps, &props) != nil || len(props.Action.User) == 0 ||
		bytes.Equal(props.Action.User, []byte("null")) {
		return "", nil
	}
	const where = "forwardedProps.a2uiAction.userAction"
	if len(props.Action.User) > a2ui.MaxAction {
		return "", &agui.FieldError{Path: where, Problem: fmt.Sprintf("has more than %d bytes", a2ui.MaxAction)}
	}
	text, err := a2ui.ReadAction(props.Action.User)
	if err != nil {
		return "", &agui.FieldError{Path: where,
			Problem: "is no object with the name of an action and the id of a surface"}
	}
	id := actionPrefix + state.Hash([]byte(in.ThreadID), []byte(in.RunID), props.Action.User)[:24]
	in.Messages = slices.DeleteFunc(in.Messages, func(m agui.Message) bool {
		if m.ID == id || m.ID == id+"-result" || m.ToolCallID == id { // a client can compute the id
			return true
		}
		return slices.ContainsFunc(m.ToolCalls,
			func(c agui.ToolCall) bool { return c.Function.Name == actionTool && !ownAction(c.ID) }) &&
			m.Content.Text() == ""
	})
	in.Messages = append(in.Messages,
		agui.Message{ID: id, Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{
			ID: id, Type: "function", Function: agui.FunctionCall{Name: actionTool,
				Arguments: string(props.Action.User)},
		}}},
		agui.Message{ID: id + "-result", Role: agui.RoleTool, ToolCallID: id, Content: agui.TextContent(text)},
	)
	return id, nil
}

const actionPrefix = "a2ui-action-"

func ownAction(call string) bool {
	return len(call) > len(actionPrefix) && call[:len(actionPrefix)] == actionPrefix
}
