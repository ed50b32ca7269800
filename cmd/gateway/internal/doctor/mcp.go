package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// An MCPServer is a server with tools of agents.
type MCPServer struct {
	Name  string
	Tools func(ctx context.Context) ([]groupchat.Tool, error) // all that it has
	Named []string                                            // the tools that agents name, by the server's names
}

// Check returns the check of a server.
func (s MCPServer) Check() Check {
	return check("mcp", s.Name, func(ctx context.Context, c Check) []Finding {
		tools, err := s.Tools(ctx)
		switch {
		case err != nil && refusedAddress(err):
			return c.wrong("The server is at an address that the gateway never connects to.", allowMend)
		case err != nil && ctx.Err() != nil:
			return c.wrong("The server does not answer in time.",
				"Start its command by hand, in the directory of the team file, and check whether it hangs; check "+
					"whether a firewall drops requests to its URL.")
		case err != nil:
			return c.wrong("The server cannot be used: "+causeOf(err)+".",
				"Start its command by hand, in the directory of the team file; a URL is that of the endpoint, often "+
					"ending in /mcp. What the program writes to stderr is in the gateway's log with -log-level debug.")
		}
		return []Finding{c.finding(OK, fmt.Sprintf("The server connects and has %d tools.", len(tools)), ""),
			s.tools(tools)}
	})
}

// tools judges what the server has.
func (s MCPServer) tools(tools []groupchat.Tool) Finding {
	var names, bad []string
	for _, t := range tools {
		names = append(names, t.SourceName)
		if err := t.Validate(); err != nil {
			bad = append(bad, t.SourceName+" ("+causeOf(err)+")")
		}
	}
	missing := slices.DeleteFunc(slices.Clone(s.Named), func(name string) bool { return slices.Contains(names, name) })
	f := Finding{Name: "mcp.tools", Subject: s.Name, Verdict: OK,
		Says: "It has all tools that agents name, with good schemas."}
	switch {
	case len(missing) > 0:
		f.Verdict, f.Says = Wrong, fmt.Sprintf("It has no tool %s; it has %s.", strings.Join(missing, ", "),
			someOf(names))
		f.Mend = "Correct `only:` in the team file, or upgrade the server."
	case len(bad) > 0:
		f.Verdict, f.Says = Warning, "Tools with schemas that calls cannot be checked with are left out: "+someOf(bad)+
			"."
		f.Mend = "Have the server mend them; agents work without these tools."
	case len(tools) == 0:
		f.Verdict, f.Says, f.Mend = Warning, "It has no tools.", "Look at the server's own settings."
	}
	return f
}

// ToolNames returns the check of the names of tools in the description of an agent that has tools of MCP servers. find
// contacts the servers and returns the problems.
func ToolNames(agent string, find func(ctx context.Context) ([]string, error)) Check {
	return check("mcp.names", agent, func(ctx context.Context, c Check) []Finding {
		problems, err := find(ctx)
		switch {
		case err != nil:
			return c.unchecked("A server of its tools cannot be asked: "+causeOf(err)+".", "")
		case len(problems) > 0:
			return c.wrong("Names of tools are not clear: "+strings.Join(problems, "; ")+".",
				"Correct `approve:`, or give the tools of one server a `prefix:`. Until then every call asks a "+
					"person, and tools with the name of another server's are withheld.")
		}
		return c.ok("Every name under `approve:` is a tool, and no two servers have tools of one name.")
	})
}
