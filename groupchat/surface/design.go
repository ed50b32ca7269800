package surface

import (
	"cmp"
	"context"
	"encoding/json"
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
