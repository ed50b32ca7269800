package teamfile

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/mcp"
)

// serverTexts reads which texts of MCP servers a model is told: resources, and prompts.
func (b *builder) serverTexts(f *fields, a *groupchat.LLM) {
	for _, key := range []string{"prompts", "resources"} {
		for _, item := range b.list(f.take(key), key) {
			if p := b.serverText(item, key == "prompts"); p != nil {
				a.Prepare = append(a.Prepare, p)
			}
		}
	}
}

// serverText reads one entry. Nil means that it has a mistake, which is noted.
func (b *builder) serverText(n *node, prompt bool) groupchat.Provider {
	before := len(b.problems)
	t := &serverText{prompt: prompt, log: b.log}
	kind, key, hint := "a resource", "uri", "say which: `uri: file:///handbook.md`, as the server knows it"
	if prompt {
		kind, key, hint = "a prompt", "prompt", "say which: `prompt: review`, as the server knows it"
	}
	f := b.fields(n, kind+" of a server")
	f.kind = kind
	at := f.need("mcp", "name the server, one of `mcp`")
	name := f.need(key, hint)
	if prompt {
		t.arguments = b.promptArguments(f.take("arguments"))
	}
	f.end()
	if at == nil || name == nil {
		return nil
	}
	t.name = b.text(name)
	if t.name == "" && len(b.problems) == before {
		b.bad(name, "%s", hint)
	}
	server, quotable := b.word(at)
	s, known := b.servers[server]
	if !known && len(b.problems) == before {
		b.unknown(at, server, quotable, "server", slices.Collect(maps.Keys(b.servers)))
	}
	if s == nil || len(b.problems) > before {
		return nil
	}
	t.server, t.required = s, slices.Contains(b.requiredServers, server)
	return t.provide
}

// promptArguments reads what a prompt is filled in with.
func (b *builder) promptArguments(n *node) map[string]string {
	keys, values := b.pairs(n, "arguments")
	arguments := map[string]string{}
	for i, key := range keys {
		arguments[key.text] = b.text(values[i])
	}
	return arguments
}

// A serverText is a text of an MCP server that a model is told.
type serverText struct {
	server    *mcp.Server
	prompt    bool
	name      string // of the prompt, or the resource's URI
	arguments map[string]string
	required  bool
	log       *slog.Logger
}

// provide adds the text to what the model is told. One that cannot be read is named, so that the model does not make it up.
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
