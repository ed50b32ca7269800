package surface

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// Options are what the parts of one agent share. The zero value suits an agent with pages that bring their components.
type Options struct {
	// Tool is the name of the tool that renders; empty means render_a2ui, which is the one that CopilotKit's middleware
	// looks for.
	Tool string
	// Catalogue says which components there are; where it knows none, the page's counts. Its ID is the one that
	// surfaces are created with; empty means the page's.
	Catalogue a2ui.Catalogue
	// Attempts is how often a surface is tried; 0 means 3.
	Attempts int
}

func (o Options) tool() string { return cmp.Or(o.Tool, a2ui.RenderTool) }

func (o Options) attempts() int { return cmp.Or(o.Attempts, a2ui.DefaultAttempts) }

// catalogue is what components there are for the client of t.
func (o Options) catalogue(t *groupchat.Turn) a2ui.Catalogue {
	page := a2ui.OfContext(t.Input().Context)
	switch {
	case o.Catalogue.Components == nil && o.Catalogue.ID == "":
		return page
	case o.Catalogue.Components == nil:
		page.ID = o.Catalogue.ID
		return page
	}
	c := o.Catalogue
	c.ID = cmp.Or(c.ID, page.ID)
	return c
}

func (o Options) watcher(t *groupchat.Turn) *a2ui.Watcher {
	return a2ui.NewWatcher(a2ui.Options{
		Tool: o.tool(), Catalogue: o.catalogue(t), Attempts: o.attempts(),
		Find: func(surface string) (string, []a2ui.Operation) { return a2ui.Shown(t.Messages(), surface) },
	})
}

// Hooks returns hooks that make activities of surfaces. They belong closest to the agent, so that what other hooks do
// with what people see holds for surfaces too.
func Hooks(o Options) groupchat.Hooks {
	return groupchat.Hooks{Name: "a2ui", Stream: func(t *groupchat.Turn) run.Filter {
		w := o.watcher(t)
		return func(e agui.Event, next run.Emit) error {
			before, after := w.Next(e)
			if err := sendAll(before, e, next); err != nil {
				return err
			}
			if err := next(e); err != nil {
				return err
			}
			return sendAll(after, e, next)
		}
	}}
}

// sendAll sends activities for the invocation that cause belongs to.
func sendAll(activities []agui.Event, cause agui.Event, next run.Emit) error {
	for _, e := range activities {
		if a, ok := e.(*agui.ActivitySnapshot); ok {
			a.SubagentRunID = agui.SubagentOf(cause)
		}
		if err := next(e); err != nil {
			return err
		}
	}
	return nil
}

// guide is how a surface is described, for models.
const guide = `A surface is described in A2UI v0.9:
- components is one flat list. Each component has a unique id and a component, which is its type, beside its properties.
- The outermost component has the id root and is one that holds others, such as Column, Row or Card.
- Components refer to others by id: child has one, children a list of them. No component contains itself.
- To repeat a component over a list of the data, write children as {"componentId": the id, "path": "/list"}.
  Inside of it paths are relative to the element: {"path": "name"}.
- A property takes its value from the data as {"path": "/name"}.
- What a button does is {"event": {"name": what happened, "context": {what belongs to it}}} in its action.
- Use only types that the catalogue of components has, and give all properties that it requires.`

// Guide returns a provider that tells a model how the tool that renders is called, and which components the catalogue
// of o has. A page's catalogue is in the run's context, which models get in any case.
func Guide(o Options) groupchat.Provider {
	return func(_ context.Context, _ *groupchat.Turn, p *groupchat.Prepared) error {
		if p.Instructions != "" {
			p.Instructions += "\n\n"
		}
		p.Instructions += "To show the user something that words tell badly, call " + o.tool() + ".\n" + guide +
			describeCatalogue(o.Catalogue)
		return nil
	}
}

// describeCatalogue returns the text about a catalogue for models.
func describeCatalogue(c a2ui.Catalogue) string {
	if raw := c.JSON(); raw != nil {
		return "\n\nThe catalogue of components: " + string(raw)
	}
	return ""
}

// The limits of the conversation in a request to the designing model.
const (
	maxTold      = 20       // messages
	maxToldBytes = 64 << 10 // of them and of the run's context
)

// request is what the model that designs is asked.
func (d designer) request(t *groupchat.Turn, wanted order, catalogue a2ui.Catalogue,
	problems []a2ui.Problem) model.Request {
	parts := []string{d.Instructions, "Design what the user is shown. Answer by calling " + d.tool() +
		", once, and in no other way.\n" + guide + describeCatalogue(catalogue)}
	parts = append(parts, contextOf(t)...)
	if wanted.Changes != "" {
		parts = append(parts, "What is asked for: "+wanted.Changes)
	}
	if wanted.Intent == "update" {
		if _, operations := a2ui.Shown(t.Messages(), wanted.Surface); operations != nil {
			parts = append(parts, "Change the surface that is shown, and keep its id: "+a2ui.Result(operations))
		}
	}
	if problems != nil {
		parts = append(parts,
			"## Previous attempt was invalid\nMend what is wrong and call again, with all "+
				"arguments:\n"+a2ui.FormatProblems(problems))
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	messages := append([]model.Message{{Role: agui.RoleSystem, Text: strings.Join(parts, "\n\n")}}, conversation(t)...)
	return model.Request{Messages: messages,
		Tools: []model.Tool{{Name: d.tool(), Description: renderDescription, Parameters: renderSchema}}}
}

// contextOf is what the page says of itself, but for its catalogue.
func contextOf(t *groupchat.Turn) (parts []string) {
	size := 0
	for _, c := range t.Input().Context {
		size += len(c.Description) + len(c.Value)
		if c.Description != a2ui.CatalogueContext && size <= maxToldBytes {
			parts = append(parts, c.Description+": "+c.Value)
		}
	}
	return parts
}

// conversation returns the newest messages, oldest first, and the results of tools, as words.
func conversation(t *groupchat.Turn) (out []model.Message) {
	size := 0
	for _, m := range slices.Backward(t.Messages()) {
		text := m.Content.Text()
		size += len(text)
		if len(out) == maxTold || len(out) > 0 && size > maxToldBytes {
			break
		}
		switch {
		case text == "":
		case m.Role == agui.RoleUser, m.Role == agui.RoleAssistant:
			out = append(out, model.Message{Role: m.Role, Text: text})
		case m.Role == agui.RoleTool && a2ui.ReadResult(text) == nil:
			out = append(out, model.Message{Role: agui.RoleAssistant, Text: "A tool came to: " + text})
		}
	}
	slices.Reverse(out)
	return out
}
