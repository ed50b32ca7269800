// Package mermaid draws teams as Mermaid flowcharts, which many pages render in Markdown.
//
//	fmt.Print(mermaid.Flowchart(info)) // of an agent that describes itself, with its name
package mermaid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat/profile"
)

// Flowchart draws agents, each with its team and nested teams. An arrow leads from a manager to the agents that it may
// choose, and from a participant to possible next ones; a broken arrow leads to an agent used as a tool.
func Flowchart(agents ...profile.Info) string {
	c := &chart{}
	c.line(0, "flowchart TD")
	for _, agent := range agents {
		c.agent(agent, 1)
	}
	for _, edge := range c.edges {
		c.line(1, "%s", edge)
	}
	return c.String()
}

// A chart is a flowchart being written. Mermaid requires nodes before their arrows, so arrows come last.
type chart struct {
	strings.Builder
	edges []string
	nodes int
}

func (c *chart) line(depth int, format string, args ...any) {
	c.WriteString(strings.Repeat("    ", depth))
	fmt.Fprintf(&c.Builder, format, args...)
	c.WriteByte('\n')
}

// id returns a new id. Names are unsuitable: Mermaid has reserved words, and two teams may share names.
func (c *chart) id(letter string) string {
	c.nodes++
	return fmt.Sprintf("%s%d", letter, c.nodes)
}

func (c *chart) edge(from, arrow, to string) {
	c.edges = append(c.edges, from+" "+arrow+" "+to)
}

// agent writes an agent and returns the id that arrows to it have.
func (c *chart) agent(a profile.Info, depth int) string {
	if a.Kind == profile.KindChat || a.Kind == profile.KindConcurrent {
		return c.team(a, depth)
	}
	id := c.id("a")
	left, right, what := shape(a.Kind)
	c.line(depth, `%s%s"%s%s"%s`, id, left, escape(a.Name), what, right)
	for _, tool := range a.Participants {
		c.edge(id, "-.->", c.agent(tool, depth))
	}
	return id
}

// shape returns the brackets around an agent of a kind, and the text below its name.
func shape(kind profile.Kind) (left, right, what string) {
	switch kind {
	case profile.KindModel:
		return "[", "]", "<br/>model"
	case profile.KindRemote:
		return "[[", "]]", "<br/>another server"
	case profile.KindScript:
		return "(", ")", "<br/>script"
	default:
		return "[", "]", ""
	}
}

// team writes a team as a box around its participants.
func (c *chart) team(a profile.Info, depth int) string {
	box := c.id("t")
	title := escape(a.Name)
	if a.Kind == profile.KindConcurrent {
		title += ", at the same time"
	}
	c.line(depth, `subgraph %s["%s"]`, box, title)
	supervisor := ""
	if a.Supervisor != "" {
		supervisor = c.id("s")
		c.line(depth+1, `%s{{"%s<br/>%s"}}`, supervisor, escape(a.Supervisor), escape(choice(a.Manager)))
	}
	ids := map[string]string{}
	var order []string
	for _, p := range a.Participants {
		ids[p.Name] = c.agent(p, depth+1)
		order = append(order, ids[p.Name])
	}
	if start := ids[a.Start]; start != "" {
		first := c.id("b")
		c.line(depth+1, `%s((" "))`, first)
		c.edge(first, "-->", start)
	}
	c.line(depth, "end")
	c.ways(a, supervisor, ids, order)
	return box
}

// ways draws the possible orders of speakers.
func (c *chart) ways(a profile.Info, supervisor string, ids map[string]string, order []string) {
	inTurn := a.Manager == "sequential" || a.Manager == "round_robin"
	switch {
	case inTurn && len(order) > 0:
		if supervisor != "" {
			c.edge(supervisor, "-->", order[0])
		}
		for i := range len(order) - 1 {
			c.edge(order[i], "-->", order[i+1])
		}
		if a.Manager == "round_robin" && len(order) > 1 {
			c.edge(order[len(order)-1], "-->", order[0])
		}
	case supervisor != "":
		for _, id := range order {
			c.edge(supervisor, "-->", id)
		}
	}
	for _, p := range a.Participants {
		for _, to := range p.HandsOverTo {
			if ids[to] != "" {
				c.edge(ids[p.Name], "-->", ids[to])
			}
		}
	}
}

func choice(manager string) string {
	words := map[string]string{
		"rules": "by rules", "route": "by the state", "llm": "by a model", "plan": "by a plan",
		"sequential": "in order", "round_robin": "in turn",
	}
	if text := words[manager]; text != "" {
		return text
	}
	return "by a program"
}

// escape writes a name so that it is text in a quoted label: Mermaid reads entities there, HTML and Markdown.
func escape(name string) string {
	const special = "\"#&<>`\\;"
	var b strings.Builder
	for _, r := range name {
		if r < ' ' || slices.Contains([]rune(special), r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
