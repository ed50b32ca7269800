package teamfile

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/mcp"
)

// buildServers makes every MCP server that n describes. It does not connect to any.
func (b *builder) buildServers(n *Value) {
	b.servers = map[string]*mcp.Server{}
	keys, values := n.Pairs("mcp")
	for i, key := range keys {
		b.servers[key.text] = b.buildServer(key, values[i])
	}
}

// buildServer reads one entry of mcp. It returns nil after a mistake, which is noted.
func (b *builder) buildServer(key, n *Value) *mcp.Server {
	f := n.Fields(fmt.Sprintf("server %q", key.text), "mcp")
	command, url := f.Take("command"), f.Take("url")
	o := mcp.Options{
		Name: key.text, URL: url.httpURL(), CallTimeout: f.Take("timeout").duration(),
		KeepAlive: f.Take("keep_alive").duration(), HTTP: b.o.HTTP, Log: b.o.Log,
	}
	words := command.texts("a command")
	env, headers := f.Take("env"), f.Take("headers")
	o.Env, o.Headers = environment(env), singleHeaders(headers)
	if f.Take("required").on() {
		b.requiredServers = append(b.requiredServers, key.text)
	}
	f.End()
	switch {
	case n.kind != mappingNode:
	case (command == nil) == (url == nil):
		key.Bad("server %q is one of a command and a url; "+
			"write `command: [ program, argument ]` or `url: https://…`", key.text)
	case url != nil && env != nil:
		env.Bad("env is a command's; send a url `headers: { … }`")
	case url != nil && o.URL == "":
		url.Bad("the URL is empty; say where the server is")
	case command != nil && headers != nil:
		headers.Bad("headers are a url's; give a command `env: { … }`")
	case command != nil && len(words) == 0:
		command.Bad("there is no command; write `command: [ program, argument ]`")
	}
	if !f.ok() {
		return nil
	}
	if other := substitute(b.o.Substitutes.Server, key.text); other != nil {
		o.HTTP, o.URL, o.Headers, o.Env, command = other, "http://127.0.0.1/mcp", nil, nil, nil
	}
	if command != nil {
		o.Command, o.Args = words[0], words[1:]
		dir, err := filepath.Abs(filepath.Dir(b.file))
		if err != nil {
			command.Bad("the directory of this file is not known, in which the command is to run")
			return nil
		}
		o.Dir = dir // a relative path is looked up there
	}
	if b.o.MCP != nil {
		b.o.MCP(&o)
	}
	s, err := mcp.New(o)
	if err != nil {
		key.Bad("server %q cannot be used: %s", key.text, err)
		return nil
	}
	b.team.closers = append(b.team.closers, s)
	b.team.Parts.Servers = append(b.team.Parts.Servers, ServerPart{Name: key.text, Server: s, Line: key.line})
	return s
}

// environment reads the environment of a program.
func environment(n *Value) map[string]string {
	keys, _ := n.Pairs("env")
	for _, key := range keys {
		if !environmentName.MatchString(key.text) {
			key.Bad("no name of a variable; write letters, digits and _")
		}
	}
	return n.TextMap("env")
}

// TextMap reads a mapping from names to texts; nil if it is empty.
func (v *Value) TextMap(what string) map[string]string {
	keys, values := v.Pairs(what)
	if len(keys) == 0 {
		return nil
	}
	texts := map[string]string{}
	for i, key := range keys {
		texts[key.text] = values[i].Text()
	}
	return texts
}

// server returns the server that n names. It returns nil after a mistake, which is noted here or at the server.
func (b *builder) server(n *Value) *mcp.Server {
	s, known := b.servers[n.Text()]
	if !known {
		unknown(n, "server", slices.Collect(maps.Keys(b.servers)))
	}
	return s
}

// serverTools reads an entry of tools that names an MCP server.
func (b *builder) serverTools(f *Fields, at *Value, approve tools.Approval, c *toolList) {
	only := f.Take("only")
	o := mcp.SourceOptions{Only: only.texts("only"), Prefix: f.Take("prefix").Text(), Approve: approve}
	if only != nil && len(o.Only) == 0 {
		only.Bad("no tool is left; name some, or remove the key")
	}
	o.Retry = toolRetry(f)
	if s := b.server(at); s != nil {
		name := at.Text()
		o.Required = slices.Contains(b.requiredServers, name)
		c.agent.Sources = append(c.agent.Sources, s.Source(o))
		b.team.Parts.noteTools(name, o.Only)
	}
	c.hasUnknown = c.hasUnknown || only == nil
	for _, tool := range o.Only {
		c.serverNames = append(c.serverNames, o.Prefix+tool, tool)
	}
}
