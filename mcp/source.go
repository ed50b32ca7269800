package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// Source returns the server's tools for an agent. It may be used by several.
func (s *Server) Source(o SourceOptions) groupchat.ToolSource { return &source{s, o} }

type source struct {
	s *Server
	o SourceOptions
}

// Interrupts reports whether a person may have to approve of a call, as the agent has it.
func (c *source) Interrupts(agent tools.Approvals) bool {
	return c.o.Approve == tools.ApproveAlways || c.o.Approve == tools.ApproveByAgent && !agent.Never
}

// Required reports whether turns are to fail without the tools.
func (c *source) Required() bool { return c.o.Required }

// Expects reports whether Options.Only names the tool, with or without the prefix. It does not need the server.
func (c *source) Expects(name string) bool {
	return slices.ContainsFunc(c.o.Only, func(only string) bool { return name == only || name == c.o.Prefix+only })
}

// Names are those of Options.Only as models know them; nil if all tools of the server are the agent's.
func (c *source) Names() []string {
	var names []string
	for _, only := range c.o.Only {
		names = append(names, c.o.Prefix+only)
	}
	return names
}

// Origin identifies the server: its address or command, and its credentials and environment.
func (c *source) Origin() string {
	o := c.s.o
	parts := append([]string{o.URL, o.Command, o.Dir}, o.Args...)
	for _, values := range []map[string]string{o.Env, o.Headers} {
		parts = append(parts, "")
		for _, name := range slices.Sorted(maps.Keys(values)) {
			parts = append(parts, name, values[name])
		}
	}
	return tools.Origin(parts...)
}

// Tools returns the tools that the server has now. If it cannot be reached, it returns those of the last list and an
// error.
func (c *source) Tools(ctx context.Context) ([]groupchat.Tool, error) {
	listed, err := c.s.tools(ctx)
	var tools []groupchat.Tool
	for _, t := range listed {
		if c.o.Only != nil && !slices.Contains(c.o.Only, t.Name) {
			continue
		}
		tool, problem := c.tool(t)
		if problem != nil {
			err = errors.Join(err, c.s.mask(problem))
			continue
		}
		tools = append(tools, tool)
	}
	return tools, errors.Join(err, c.missing(listed, err))
}

// missing returns an error that names the tools of Only which the server does not have, and those it has.
func (c *source) missing(listed []*sdk.Tool, err error) error {
	if err != nil {
		return nil
	}
	var names []string
	for _, t := range listed {
		names = append(names, t.Name)
	}
	missing := slices.DeleteFunc(slices.Clone(c.o.Only), func(name string) bool { return slices.Contains(names, name) })
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("mcp: server %s has no tool %q; it has %q", c.s.o.Name, missing, names)
}

func (c *source) tool(t *sdk.Tool) (groupchat.Tool, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return groupchat.Tool{}, err
	}
	repeat := tools.RepeatNever
	if a := t.Annotations; a != nil && (a.ReadOnlyHint || a.IdempotentHint) {
		repeat = tools.RepeatAgain
	}
	return groupchat.Tool{
		Name: c.o.Prefix + t.Name, SourceName: t.Name, Description: cmp.Or(t.Description, t.Title), Parameters: schema,
		Call: func(ctx context.Context, call groupchat.ToolCall) (tools.Result, error) {
			return c.s.call(ctx, t.Name, call)
		},
		Repeat: repeat, Approve: c.o.Approve, Destructive: destructive(t.Annotations), Timeout: c.s.o.CallTimeout,
		MaxResult: c.s.o.MaxResult, Retry: c.o.Retry,
	}, nil
}

// destructive reports whether a tool may do harm, as the protocol has it: one that does not say otherwise may.
func destructive(a *sdk.ToolAnnotations) bool {
	return a == nil || !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
}

// tools returns the server's tools, and asks for them again if they have changed.
func (s *Server) tools(ctx context.Context) ([]*sdk.Tool, error) {
	conn, err := s.connected(ctx)
	s.mu.Lock()
	listed, stale := s.listed, s.stale
	if err == nil {
		s.stale = false // cleared before asking, so that a change from here on is noticed
	}
	s.mu.Unlock()
	if err != nil || !stale {
		return listed, err
	}
	asking, cancel := context.WithTimeoutCause(ctx, s.o.ConnectTimeout, errConnectTimeout)
	defer cancel()
	defer s.probeAfter(asking, conn)()
	tools, err := s.listTools(asking, conn.session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.stale = true
		return listed, s.connectionError(err)
	}
	if s.conn == conn {
		s.listed = tools
	}
	return tools, nil
}
