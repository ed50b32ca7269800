package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
)

// Source returns the server's tools for an agent. It may be used by several.
func (s *Server) Source(o SourceOptions) groupchat.ToolSource { return &source{s, o} }

type source struct {
	s *Server
	o SourceOptions
}

// Interrupts reports whether people have to approve of calls whatever the agent says.
func (c *source) Interrupts() bool { return c.o.Approve == groupchat.ApproveAlways }

// Expects reports whether the server, be it away or not, is to have a tool of that name: with or without its prefix.
func (c *source) Expects(name string) bool {
	return slices.ContainsFunc(c.o.Only, func(only string) bool { return name == only || name == c.o.Prefix+only })
}

// Tools are those the server has now. If it is away they are those it had when it was last asked, and an error.
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

// missing reports the names of Only that the server does not have, and those it has.
func (c *source) missing(listed []*sdk.Tool, err error) error {
	if err != nil {
		return nil
	}
	var there []string
	for _, t := range listed {
		there = append(there, t.Name)
	}
	missing := slices.DeleteFunc(slices.Clone(c.o.Only), func(name string) bool { return slices.Contains(there, name) })
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("mcp: server %s has no tool %q; it has %q", c.s.o.Name, missing, there)
}

// tool makes a tool of one of the server's.
func (c *source) tool(t *sdk.Tool) (groupchat.Tool, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return groupchat.Tool{}, err
	}
	repeat := groupchat.RepeatNever
	if a := t.Annotations; a != nil && (a.ReadOnlyHint || a.IdempotentHint) {
		repeat = groupchat.RepeatAgain
	}
	return groupchat.Tool{
		Name: c.o.Prefix + t.Name, SourceName: t.Name, Description: cmp.Or(t.Description, t.Title), Parameters: schema,
		Call: func(ctx context.Context, call groupchat.ToolCall) (groupchat.ToolResult, error) {
			return c.s.call(ctx, t.Name, call)
		},
		Repeat: repeat, Approve: c.o.Approve, Timeout: c.s.o.CallTimeout, MaxResult: c.s.o.MaxResult,
	}, nil
}

// tools are the server's, asked for again if they have changed.
func (s *Server) tools(ctx context.Context) ([]*sdk.Tool, error) {
	conn, err := s.connected(ctx)
	s.mu.Lock()
	listed, stale := s.listed, s.stale
	if err == nil {
		s.stale = false // what changes from here on is not in the list that is asked for now
	}
	s.mu.Unlock()
	if err != nil || !stale {
		return listed, err
	}
	asking, cancel := context.WithTimeoutCause(ctx, s.o.ConnectTimeout, errLate)
	defer cancel()
	defer s.checkAfter(asking, conn)()
	fresh, err := s.ask(asking, conn.session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.stale = true
		return listed, s.lost(err)
	}
	if s.conn == conn {
		s.listed = fresh
	}
	return fresh, nil
}
