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

// maxSurfaceAttempts is how often a surface may be tried at most: each try is a call of a model.
const maxSurfaceAttempts = 10

// surfaces reads whether an agent of type llm, which has its tools already, shows surfaces. It returns the agent with what shows them.
func (b *builder) surfaces(f *fields, a *groupchat.LLM, designers []surfaceTool) groupchat.Agent {
	n := f.take("a2ui")
	designs := len(designers) > 0
	o, render := surface.Options{}, false
	switch {
	case n == nil:
	case n.kind == mappingNode:
		o, render = b.surfaceOptions(n)
		designs = true
	default:
		on := b.flag(n)
		if render = on != nil && *on; on != nil && !*on && designs {
			b.bad(n, "the agent has a tool that designs surfaces; remove one of the two")
		}
	}
	if !designs && !render {
		return a
	}
	a.Surfaces, a.WithoutTools = true, []string{a2ui.RenderTool, o.Tool}
	if render {
		t := surface.Render(o)
		if slices.ContainsFunc(a.Tools, func(other groupchat.Tool) bool { return other.Name == t.Name }) {
			b.bad(n, "there is another tool of the name of the one that renders; give one of them another")
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

// surfaceOptions reads the mapping of a2ui. Render says that the model gets the tool that renders.
func (b *builder) surfaceOptions(n *node) (o surface.Options, render bool) {
	f := b.fields(n, "a2ui")
	o.Catalogue = b.catalogue(f.take("catalogue"))
	if id := b.text(f.take("catalogue_id")); id != "" {
		o.Catalogue.ID = id
	}
	if at := f.take("attempts"); at != nil {
		if o.Attempts = b.count(at, 1); o.Attempts > maxSurfaceAttempts {
			b.bad(at, "each attempt is a call of a model; write at most %d", maxSurfaceAttempts)
		}
	}
	tool := f.take("tool")
	f.end()
	if tool != nil && tool.kind == scalarNode && (tool.text == "off" || tool.text == "on") {
		return o, tool.text == "on"
	}
	if o.Tool = b.text(tool); tool != nil && o.Tool == "" {
		b.bad(tool, "the tool has no name; write one, or `tool: off`")
	}
	return o, true
}

// catalogue reads which components there are: a mapping, or the name of a file with JSON, from the directory of the team file on.
func (b *builder) catalogue(n *node) (c a2ui.Catalogue) {
	if n == nil {
		return c
	}
	before := len(b.problems)
	var raw json.RawMessage
	if n.kind == mappingNode {
		raw = b.json(n)
	} else {
		raw = b.jsonFile(n)
	}
	if len(b.problems) > before {
		return c
	}
	c, err := a2ui.ReadCatalogue(raw)
	if err != nil {
		b.bad(n, "not a catalogue of A2UI: an object with catalogId and components, in at most %d KiB", a2ui.MaxCatalogue>>10)
	}
	return c
}

// jsonFile reads a file that n names, as far as a catalogue may be long.
func (b *builder) jsonFile(n *node) json.RawMessage {
	name, _ := b.word(n)
	if name == "" {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(b.file), name)
	}
	file, err := os.Open(name) // #nosec G304 -- the team file names it
	if err != nil {
		b.bad(n, "the file cannot be read; write its name as it is seen from the team file")
		return nil
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, a2ui.MaxCatalogue+1))
	if err != nil || len(raw) <= a2ui.MaxCatalogue && !json.Valid(raw) {
		b.bad(n, "the file is not JSON")
	}
	return raw
}

// A surfaceTool is a tool that designs surfaces, of the agent that is read.
type surfaceTool struct {
	name    string
	options surface.DesignOptions
}

// designTool reads an entry of tools that has surfaces designed.
func (b *builder) designTool(f *fields, c *toolList) groupchat.Tool {
	o := surface.DesignOptions{}
	b.oneOf(f.take("a2ui"), "generate")
	o.Name, o.Description = b.text(f.take("name")), b.text(f.take("description"))
	if at := f.take("model"); at != nil {
		o.Model = b.model(at, at)
	} else {
		o.Model = c.agent.Model
	}
	o.Instructions = b.text(f.take("instructions"))
	t := surface.Design(o)
	c.designers = append(c.designers, surfaceTool{t.Name, o})
	return t
}
