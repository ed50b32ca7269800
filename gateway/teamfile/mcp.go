package teamfile

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/mcp"
)

// buildServers makes every MCP server that n describes. It does not connect to any.
func (b *builder) buildServers(n *node) {
	b.servers = map[string]*mcp.Server{}
	keys, values := b.pairs(n, "mcp")
	for i, key := range keys {
		b.servers[key.text] = b.buildServer(key, values[i])
	}
}

// buildServer reads one entry of mcp. Nil means that it has a mistake, which is noted.
func (b *builder) buildServer(key, n *node) *mcp.Server {
	before := len(b.problems)
	f := b.fields(n, fmt.Sprintf("server %q", key.text))
	f.kind = "mcp"
	command, url := f.take("command"), f.take("url")
	o := mcp.Options{Name: key.text, URL: b.httpURL(url), CallTimeout: b.duration(f.take("timeout")), KeepAlive: b.duration(f.take("keep_alive")), HTTP: b.http, Log: b.log}
	words := b.texts(command, "a command")
	env, headers := f.take("env"), f.take("headers")
	o.Env = b.variables(env)
	for name, values := range b.headers(headers) {
		if o.Headers == nil {
			o.Headers = map[string]string{}
		}
		o.Headers[name] = values[0]
	}
	if required := b.flag(f.take("required")); required != nil && *required {
		b.requiredServers = append(b.requiredServers, key.text)
	}
	f.end()
	switch {
	case n.kind != mappingNode:
	case (command == nil) == (url == nil):
		b.bad(key, "server %q is one of a command and a url; write `command: [ program, argument ]` or `url: https://…`", key.text)
	case url != nil && env != nil:
		b.bad(env, "env is a command's; send a url `headers: { … }`")
	case url != nil && o.URL == "" && len(b.problems) == before:
		b.bad(url, "the URL is empty; say where the server is")
	case command != nil && headers != nil:
		b.bad(headers, "headers are a url's; give a command `env: { … }`")
	case command != nil && command.kind == listNode && len(words) == 0:
		b.bad(command, "there is no command; write `command: [ program, argument ]`")
	}
	if len(b.problems) > before {
		return nil
	}
	if other := insteadOf(b.substitutes.Server, key.text); other != nil {
		o.HTTP, o.URL, o.Headers, o.Env, command = other, "http://127.0.0.1/mcp", nil, nil, nil
	}
	if command != nil {
		o.Command, o.Args = words[0], words[1:]
		dir, err := filepath.Abs(filepath.Dir(b.file))
		if err != nil {
			b.bad(command, "the directory of this file is not known, in which the command is to run")
			return nil
		}
		o.Dir = dir // a relative path is looked up there
	}
	if b.serverHook != nil {
		b.serverHook(&o)
	}
	s, err := mcp.New(o)
	if err != nil {
		b.bad(key, "server %q cannot be used: %s", key.text, err)
		return nil
	}
	b.team.closers = append(b.team.closers, s)
	b.team.Parts.Servers = append(b.team.Parts.Servers, ServerPart{Name: key.text, Server: s, Line: key.line})
	return s
}

// variables reads the environment of a program.
func (b *builder) variables(n *node) map[string]string {
	keys, values := b.pairs(n, "env")
	if len(keys) == 0 {
		return nil
	}
	env := map[string]string{}
	for i, key := range keys {
		if !environmentName.MatchString(key.text) {
			b.bad(key, "no name of a variable; write letters, digits and _")
		}
		env[key.text] = b.text(values[i])
	}
	return env
}

// serverTools reads an entry of tools that names an MCP server.
func (b *builder) serverTools(f *fields, at *node, approve groupchat.ToolApproval, c *toolList) {
	only := f.take("only")
	o := mcp.SourceOptions{Only: b.texts(only, "only"), Prefix: b.text(f.take("prefix")), Approve: approve}
	if only != nil && only.kind == listNode && len(only.items) == 0 {
		b.bad(only, "no tool is left; name some, or remove the key")
	}
	o.Retry = b.toolRetry(f)
	before := len(b.problems)
	name, quotable := b.word(at)
	s, known := b.servers[name]
	switch {
	case len(b.problems) > before:
	case !known:
		b.unknown(at, name, quotable, "server", slices.Collect(maps.Keys(b.servers)))
	case s != nil:
		o.Required = slices.Contains(b.requiredServers, name)
		c.agent.Sources = append(c.agent.Sources, s.Source(o))
		b.team.Parts.noteTools(name, o.Only)
	}
	c.hasUnknown = c.hasUnknown || only == nil
	for _, tool := range o.Only {
		c.serverNames = append(c.serverNames, o.Prefix+tool, tool)
	}
}
