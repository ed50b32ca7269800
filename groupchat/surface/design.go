package surface

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

// DesignTool is the name of the tool that has a surface designed, where it has no other. It is the one of AG-UI's
// integrations.
const DesignTool = "generate_a2ui"

const designDescription = "Shows the user a surface that fits the conversation, such as cards, a form or a " +
	"comparison. Another model designs it."

var designSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"intent":{"type":"string","enum":["create","update"],"description":"create shows a new surface, update a ` +
	`changed one"},` +
	`"target_surface_id":{"type":"string","description":"of an update: the id of the surface"},` +
	`"changes":{"type":"string","description":"what is to be shown, or to be changed"}}}`)

// DesignOptions describe a tool that has surfaces designed.
type DesignOptions struct {
	Options
	// Name and Description are the tool's; empty means generate_a2ui and its description.
	Name, Description string
	// Model designs; nil makes none, which is an error of every call.
	Model model.Model
	// Instructions begin each request to the designing model.
	Instructions string
}

type designer struct{ DesignOptions }

// Design returns a tool that asks a model for a surface, by the tool that renders, in a separate call. The surface is
// shown while it comes. If it cannot be drawn, the model is asked again with the problems. Each reply is recorded, so
// that a repeated turn asks for none twice.
func Design(o DesignOptions) groupchat.Tool {
	return groupchat.Tool{
		Name: cmp.Or(o.Name, DesignTool), Description: cmp.Or(o.Description, designDescription),
		Parameters: designSchema,
		Turn:       designer{o}.call, MaxResult: maxArguments,
	}
}

type order struct {
	Intent  string `json:"intent"`
	Surface string `json:"target_surface_id"`
	Changes string `json:"changes"`
}

func (d designer) call(_ context.Context, t *groupchat.Turn, c groupchat.ToolCall) (tools.Result, error) {
	var wanted order
	if err := exact.Unmarshal(c.Arguments, &wanted); err != nil {
		return tools.Result{}, err // they matched the schema
	}
	catalogue := d.catalogue(t)
	live := &preview{t: t, w: d.watcher(t), call: c.ID, tool: d.tool()}
	var attempts []a2ui.Attempt
	var problems []a2ui.Problem
	for n := 1; n <= d.attempts(); n++ {
		live.begun = false
		reply, err := t.AskModel("surface/"+strconv.Itoa(n), groupchat.ModelCall{
			Purpose: model.ForOther, Model: d.Model, Request: d.request(t, wanted, catalogue, problems),
			On: model.Deltas{Call: live.delta},
		})
		if err != nil {
			return tools.Result{}, err
		}
		design, found := a2ui.Design{},
			[]a2ui.Problem{{Code: a2ui.CodeEmpty, Path: "components", Message: d.tool() + " was not called"}}
		if len(reply.Calls) > 0 {
			written := json.RawMessage(reply.Calls[0].Arguments)
			if err := live.complete(string(written)); err != nil {
				return tools.Result{}, err
			}
			if found = problemsOf(written, catalogue); found == nil {
				_ = exact.Unmarshal(written, &design) // it was read before
				return tools.Text(a2ui.Result(design.Operations(catalogue.ID))), nil
			}
		}
		problems = found
		attempts = append(attempts, a2ui.Attempt{Attempt: n, Errors: found})
	}
	return tools.Text(a2ui.Exhausted(attempts)), nil
}

// A preview shows a surface while its design comes, as the activity of the call that asked for it.
type preview struct {
	t          *groupchat.Turn
	w          *a2ui.Watcher
	call, tool string
	begun      bool
}

// delta adds a piece of the first call of a reply.
func (p *preview) delta(i int, _, arguments string) error {
	if i > 0 {
		return nil
	}
	if !p.begun {
		p.begun = true
		if err := p.emit(&agui.ToolCallStart{ToolCallID: p.call, ToolCallName: p.tool}); err != nil {
			return err
		}
	}
	return p.emit(&agui.ToolCallArgs{ToolCallID: p.call, Delta: arguments})
}

// complete shows the design of a reply that did not come in pieces.
func (p *preview) complete(arguments string) error {
	if p.begun {
		return nil
	}
	return p.delta(0, "", arguments)
}

func (p *preview) emit(e agui.Event) error {
	before, _ := p.w.Next(e)
	return sendAll(before, e, p.t.Emit)
}

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
