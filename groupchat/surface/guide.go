package surface

import (
	"context"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/groupchat"
)

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
