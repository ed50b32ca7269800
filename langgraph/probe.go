package langgraph

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui/client"
)

// A NoAssistantError is the cause of a [*client.Error] of a server that answers and has no such assistant.
type NoAssistantError struct {
	// Known are the names of the graphs that there are, at most as many as one answer has.
	Known []string
}

// Error lists the graphs that there are.
func (e *NoAssistantError) Error() string {
	if len(e.Known) == 0 {
		return "the server has no assistants"
	}
	const shown = 20
	more := ""
	if len(e.Known) > shown {
		more = ", …"
	}
	return "the server has no such assistant; it has " + strings.Join(e.Known[:min(len(e.Known), shown)], ", ") + more
}

// maxKnown bounds the assistants that are looked at.
const maxKnown = 1000

// Probe asks the server for its assistants, and runs nothing. An error is a [*client.Error], of one that is not there
// with a [*NoAssistantError], or the cause of ctx.
func (c *Client) Probe(ctx context.Context, header http.Header) error {
	var list []struct {
		ID    string `json:"assistant_id"`
		Graph string `json:"graph_id"`
	}
	s := c.conn.Session(ctx, header)
	defer s.End()
	err := s.Ask(client.Call{
		Method: http.MethodPost, Path: []string{"assistants", "search"}, Body: map[string]int{"limit": maxKnown},
	}, &list)
	if err != nil {
		return err
	}
	missing := &NoAssistantError{}
	for _, a := range list {
		if a.Graph == c.assistant || a.ID == c.assistant {
			return nil
		}
		missing.Known = append(missing.Known, a.Graph)
	}
	slices.Sort(missing.Known)
	missing.Known = slices.Compact(missing.Known)
	return &client.Error{Fault: client.FaultInvalid, Err: missing}
}
