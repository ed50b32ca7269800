package surface

import (
	"cmp"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/groupchat"
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
