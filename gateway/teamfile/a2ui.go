package teamfile

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/surface"
)

// maxSurfaceAttempts limits the attempts at a surface: each is a call of a model.
const maxSurfaceAttempts = 10

// surfaces reads whether an agent of type llm, which has its tools already, shows surfaces. It returns the agent that
// shows them.
func (b *builder) surfaces(f *Fields, a *groupchat.LLM, designers []surfaceTool) groupchat.Agent {
	n := f.Take("a2ui")
	designs := len(designers) > 0
	o, render := surface.Options{}, false
	switch {
	case n == nil:
	case n.kind == mappingNode:
		o, render = b.surfaceOptions(n)
		designs = true
	default:
		if render = n.on(); designs && n.off() {
			n.Bad("the agent has a tool that designs surfaces; remove one of the two")
		}
	}
	if !designs && !render {
		return a
	}
	a.Surfaces, a.WithoutTools = true, []string{a2ui.RenderTool, o.Tool}
	if render {
		t := surface.Render(o)
		if slices.ContainsFunc(a.Tools, func(other groupchat.Tool) bool { return other.Name == t.Name }) {
			n.Bad("there is another tool of the name of the one that renders; give one of them another")
		}
		a.Tools = append(a.Tools, t)
		a.Prepare = append(a.Prepare, surface.Guide(o))
	}
	for _, d := range designers {
		i := slices.IndexFunc(a.Tools, func(t groupchat.Tool) bool { return t.Name == d.name })
		if d.options.Options = o; i >= 0 { // otherwise there is a mistake, which is noted
			a.Tools[i].Turn = surface.Design(d.options).Turn
		}
	}
	return groupchat.WithHooks(a, surface.Hooks(o))
}

// surfaceOptions reads the mapping of a2ui. Render reports whether the model gets the tool that renders.
func (b *builder) surfaceOptions(n *Value) (o surface.Options, render bool) {
	f := n.Fields("a2ui", "")
	o.Catalogue = b.catalogue(f.Take("catalogue"))
	if id := f.Take("catalogue_id").Text(); id != "" {
		o.Catalogue.ID = id
	}
	attempts := f.Take("attempts")
	if o.Attempts = attempts.Count(1); o.Attempts > maxSurfaceAttempts {
		attempts.Bad("each attempt is a call of a model; write at most %d", maxSurfaceAttempts)
	}
	tool := f.Take("tool")
	f.End()
	if tool.isScalar() && (tool.text == "off" || tool.text == "on") {
		return o, tool.text == "on"
	}
	if o.Tool = tool.Text(); o.Tool == "" {
		tool.Bad("the tool has no name; write one, or `tool: off`")
	}
	return o, true
}

// catalogue reads the components: a mapping, or the name of a file with JSON, relative to the directory of the team
// file.
func (b *builder) catalogue(n *Value) (c a2ui.Catalogue) {
	if n == nil {
		return c
	}
	before := len(b.problems)
	raw := n.JSON()
	if !n.IsMapping() {
		raw = b.jsonFile(n)
	}
	if len(b.problems) > before {
		return c
	}
	c, err := a2ui.ReadCatalogue(raw)
	if err != nil {
		n.Bad("not a catalogue of A2UI: an object with catalogId and components, in at most %d KiB",
			a2ui.MaxCatalogue>>10)
	}
	return c
}

// jsonFile reads a file that n names, up to the greatest length of a catalogue.
func (b *builder) jsonFile(n *Value) json.RawMessage {
	name := n.Text()
	if name == "" {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(b.file), name)
	}
	file, err := os.Open(name) // #nosec G304 -- the team file names it
	if err != nil {
		n.Bad("the file cannot be read; write its name as it is seen from the team file")
		return nil
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, a2ui.MaxCatalogue+1))
	if err != nil || len(raw) <= a2ui.MaxCatalogue && !json.Valid(raw) {
		n.Bad("the file is not JSON")
	}
	return raw
}

// A surfaceTool is a tool that designs surfaces, of the agent that is read.
type surfaceTool struct {
	name    string
	options surface.DesignOptions
}

// designTool reads an entry of tools that designs surfaces.
func (b *builder) designTool(f *Fields, c *toolList) groupchat.Tool {
	f.Take("a2ui").OneOf("generate")
	o := surface.DesignOptions{Model: c.agent.Model}
	o.Name, o.Description = f.Take("name").Text(), f.Take("description").Text()
	if at := f.Take("model"); at != nil {
		o.Model = b.model(at, at)
	}
	o.Instructions = f.Take("instructions").Text()
	t := surface.Design(o)
	c.designers = append(c.designers, surfaceTool{t.Name, o})
	return t
}
