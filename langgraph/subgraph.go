package langgraph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A subgraph is a graph inside the assistant's. It is sent as a subagent.
type subgraph struct {
	id   string
	name string // of its node
	ns   string
	over bool
}

// tag returns the attribution of a namespace's events; the assistant's own graph is the empty one. A subgraph begins
// with its first event.
func (t *translator) tag(ns string) (agui.Tagged, error) {
	if ns == "" {
		return agui.Tagged{}, nil
	}
	g := t.graphs[ns]
	if g != nil && !g.over {
		return agui.Tagged{SubagentRunID: g.id}, nil
	}
	above, err := t.tag(parentOf(ns))
	if err != nil {
		return above, err
	}
	t.begun++
	id := ns
	if g != nil { // its node was reported done
		id += "~" + strconv.Itoa(t.begun)
	}
	g = &subgraph{id: id, ns: ns}
	g.name, _, _ = strings.Cut(ns[strings.LastIndexByte(ns, '|')+1:], ":")
	t.graphs[ns], t.open = g, append(t.open, g)
	return agui.Tagged{SubagentRunID: id},
		t.Emit(&agui.SubagentStarted{SubagentRunID: id, Name: g.name, ParentSubagentRunID: above.SubagentRunID})
}

func parentOf(ns string) string { return ns[:max(0, strings.LastIndexByte(ns, '|'))] }

// closeNode closes the subgraph of a node of a namespace that is done. Among several concurrent subgraphs the finished
// one is unknown: they end with the run.
func (t *translator) closeNode(ns, node string) error {
	if err := t.closeMessages(func(s *spoken) bool { return s.graph == ns && s.node == node }); err != nil {
		return err
	}
	var below []*subgraph
	for _, g := range t.open {
		if g.name == node && parentOf(g.ns) == ns {
			below = append(below, g)
		}
	}
	if len(below) != 1 {
		return nil
	}
	return t.closeGraph(below[0])
}

// closeGraph ends a subgraph, after those inside it.
func (t *translator) closeGraph(g *subgraph) error {
	for _, inner := range slices.Backward(slices.Clone(t.open)) {
		if !inner.over && strings.HasPrefix(inner.ns, g.ns+"|") {
			if err := t.closeGraph(inner); err != nil {
				return err
			}
		}
	}
	if err := t.closeMessages(func(s *spoken) bool { return s.graph == g.ns }); err != nil {
		return err
	}
	g.over = true
	t.open = slices.DeleteFunc(t.open, func(o *subgraph) bool { return o == g })
	return t.Emit(&agui.SubagentFinished{SubagentRunID: g.id})
}

func (t *translator) closeAll() error {
	for len(t.open) > 0 {
		if err := t.closeGraph(t.open[len(t.open)-1]); err != nil {
			return err
		}
	}
	return t.closeMessages(func(*spoken) bool { return true })
}
