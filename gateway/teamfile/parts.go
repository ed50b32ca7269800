package teamfile

import (
	"cmp"
	"context"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/mcp"
	"github.com/agui-gateway/gateway/model"
)

// Parts are the models, MCP servers and remote agents of a team. A program can ask each of them
// whether it is there before anybody is served. They are in the order of their names.
type Parts struct {
	Models  []ModelPart
	Servers []ServerPart
	Remotes []RemotePart
	// Tools are those of the program that agents have, in the file's order: one for each entry.
	Tools []ToolPart
	// Agents are those with tools of servers, in the file's order.
	Agents []AgentPart
}

// An AgentPart is an agent of type llm that has tools of MCP servers.
type AgentPart struct {
	Name string // in the file, or that of the agent in which it takes part
	// CheckTools finds mistakes in names that only the servers know: see [groupchat.LLM.CheckTools].
	CheckTools func(ctx context.Context) ([]string, error)
}

// A ModelPart is a model of the section models, or the one called default of the settings.
type ModelPart struct {
	Name  string // in the file
	Model model.Model
	// Line is that of its description in the file; 0 if the settings describe it.
	Line int
}

// A ServerPart is an MCP server of the section mcp.
type ServerPart struct {
	Name   string
	Server *mcp.Server
	Line   int
	// Tools are the names of its tools that agents of the file name, as the server knows them.
	Tools []string
}

// A RemotePart is an agent of type a2a, agui or langgraph.
type RemotePart struct {
	// Name is that of the agent in the file. A participant that is described where it takes part has the name of that
	// team.
	Name   string
	Type   string // a2a, agui or langgraph
	Remote *groupchat.Remote
	Line   int // of its URL
}

// inOrderOfNames puts the parts in order, and each name of a tool into its list once.
func (p *Parts) inOrderOfNames() {
	slices.SortFunc(p.Models, func(a, b ModelPart) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(p.Servers, func(a, b ServerPart) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(p.Remotes, func(a, b RemotePart) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Line, b.Line))
	})
	for i := range p.Servers {
		tools := p.Servers[i].Tools
		slices.Sort(tools)
		p.Servers[i].Tools = slices.Compact(tools)
	}
}

// noteTools notes that an agent names tools of a server.
func (p *Parts) noteTools(server string, tools []string) {
	for i := range p.Servers {
		if p.Servers[i].Name == server {
			p.Servers[i].Tools = append(p.Servers[i].Tools, tools...)
		}
	}
}
