package teamfile

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/mcp"
)

// serverTexts reads which texts of MCP servers a model gets: resources, and prompts.
func (b *builder) serverTexts(f *Fields, a *groupchat.LLM) {
	for _, key := range []string{"prompts", "resources"} {
		for _, item := range f.Take(key).List(key) {
			if p := b.serverText(item, key == "prompts"); p != nil {
				a.Prepare = append(a.Prepare, p)
			}
		}
	}
}

// serverText reads one entry. It returns nil after a mistake, which is noted.
func (b *builder) serverText(n *Value, prompt bool) groupchat.Provider {
	t := &serverText{prompt: prompt, log: b.o.Log}
	kind, key, hint := "a resource", "uri", "say which: `uri: file:///handbook.md`, as the server knows it"
	if prompt {
		kind, key, hint = "a prompt", "prompt", "say which: `prompt: review`, as the server knows it"
	}
	f := n.Fields(kind+" of a server", kind)
	at, name := f.Need("mcp", "name the server, one of `mcp`"), f.Need(key, hint)
	if prompt {
		t.arguments = f.Take("arguments").TextMap("arguments")
	}
	f.End()
	if at == nil || name == nil {
		return nil
	}
	if t.name = name.Text(); t.name == "" {
		name.Bad("%s", hint)
	}
	t.server = b.server(at)
	if t.server == nil || !f.ok() {
		return nil
	}
	t.required = slices.Contains(b.requiredServers, at.Text())
	return t.provide
}

// A serverText is a text of an MCP server that a model gets.
type serverText struct {
	server    *mcp.Server
	prompt    bool
	name      string // of the prompt, or the resource's URI
	arguments map[string]string
	required  bool
	log       *slog.Logger
}

// provide adds the text to the instructions. It names a text that cannot be read, so that the model does not make it
// up.
func (s *serverText) provide(ctx context.Context, t *groupchat.Turn, p *groupchat.Prepared) error {
	read := func() (string, error) { return s.server.ReadResource(ctx, s.name) }
	if s.prompt {
		read = func() (string, error) { return s.server.Prompt(ctx, s.name, s.arguments) }
	}
	text, err := read()
	switch {
	case err == nil && s.prompt:
		p.Instructions = joined(p.Instructions, text)
	case err == nil:
		p.Instructions = joined(p.Instructions, fmt.Sprintf("This is %s:\n%s", s.name, text))
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.required:
		return &errcode.Error{Code: errcode.ToolFailed, Err: err}
	default:
		s.log.WarnContext(ctx, "teamfile: a text of a server cannot be read", "turn", t.ID(), "error", err)
		if !s.prompt {
			p.Instructions = joined(p.Instructions, s.name+" cannot be read now. Where it is needed, say so.")
		}
	}
	return nil
}

// joined is two paragraphs.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}
