package surface

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
)

// renderSchema is that of the arguments of the tool that renders. The middleware of pages gives models the same
// members.
var renderSchema = json.RawMessage(`{"type":"object","required":["surfaceId","components"],"properties":{` +
	`"surfaceId":{"type":"string","description":"an id for the surface, such as sales-overview"},` +
	`"components":{"type":"array","items":{"type":"object"},"description":"the components of A2UI v0.9, in one flat ` +
	`list; the outermost has the id root"},` +
	`"data":{"type":"object","description":"the data that components refer to by paths"}}}`)

const renderDescription = "Shows the user a surface of A2UI v0.9, made of components, beside your words."

// rendered is the result of a call with a visible surface.
const rendered = `{"status":"rendered"}`

// maxArguments bounds the result of a tool that designs surfaces, in bytes.
const maxArguments = 3 * a2ui.MaxSurface

// Render returns the tool that renders. It decides only whether what the model wrote can be drawn: [Hooks] show it.
func Render(o Options) groupchat.Tool {
	return groupchat.Tool{
		Name: o.tool(), Description: renderDescription, Parameters: renderSchema, Approve: tools.ApproveNever,
		Turn: func(_ context.Context, t *groupchat.Turn, c groupchat.ToolCall) (tools.Result, error) {
			return tools.Text(o.judge(t, c.Arguments)), nil
		},
	}
}

// judge is the result of a call of the tool that renders.
func (o Options) judge(t *groupchat.Turn, arguments json.RawMessage) string {
	problems := problemsOf(arguments, o.catalogue(t))
	if problems == nil {
		return rendered
	}
	attempts, over := earlier(t)
	attempts = append(attempts, a2ui.Attempt{Attempt: len(attempts) + 1, Errors: problems})
	if over || len(attempts) >= o.attempts() {
		return a2ui.Exhausted(attempts)
	}
	return a2ui.Invalid(problems)
}

// problemsOf are why arguments cannot be drawn; nil if they can.
func problemsOf(arguments json.RawMessage, c a2ui.Catalogue) []a2ui.Problem {
	var d a2ui.Design
	if exact.Unmarshal(arguments, &d) != nil {
		return []a2ui.Problem{{Code: a2ui.CodeEmpty, Path: "components",
			Message: "the arguments are not those of the tool"}}
	}
	return d.Validate(c)
}

// earlier are the tries of this turn that were not valid, up to the last that was. Over says that there were enough.
func earlier(t *groupchat.Turn) (attempts []a2ui.Attempt, over bool) {
	for _, m := range slices.Backward(t.Messages()) {
		if m.Role == agui.RoleUser {
			break
		}
		if m.Role != agui.RoleTool {
			continue
		}
		text := m.Content.Text()
		if text == rendered {
			break
		}
		if tries := a2ui.ReadExhausted(text); tries != nil {
			return tries, true
		}
		if problems, ok := a2ui.ReadInvalid(text); ok {
			attempts = append(attempts, a2ui.Attempt{Errors: problems})
		}
	}
	slices.Reverse(attempts)
	for i := range attempts {
		attempts[i].Attempt = i + 1
	}
	return attempts, false
}
