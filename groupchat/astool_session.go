package groupchat

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// exchanges are the queries of a session and their answers before the call. They are found where calls are shown: in
// the conversation of the agent that calls, or, for calls that people approve of, in the one that people see.
func (s *specialist) exchanges(t *Turn, c ToolCall, session string) []Message {
	all := messages(t.run)
	if t.run != t.x.Run {
		all = slices.Concat(messages(t.x.Run), all)
	}
	said := []Message{}
	for _, m := range all {
		if slices.ContainsFunc(m.ToolCalls, func(o agui.ToolCall) bool { return o.ID == c.ID }) {
			break // what the same reply called for works at the same time
		}
		b, ok := answered(m)
		if !ok || b.SessionID != session {
			continue
		}
		said = append(said,
			Message{ID: m.ID + "/query", Role: agui.RoleUser, Content: agui.TextContent(b.Query)},
			Message{ID: m.ID, Role: agui.RoleAssistant, Name: s.o.Name, Content: agui.TextContent(m.Content.Text())})
	}
	return said
}

// answered is the branch of a specialist that m is the answer of.
func answered(m Message) (b toolBranch, ok bool) {
	if m.Role != agui.RoleTool || string(m.Metadata[subAgentMeta+"Status"]) != `"completed"` {
		return b, false
	}
	err := json.Unmarshal(m.Metadata[subAgentMeta], &b)
	return b, err == nil && b.SessionID != ""
}

func (a *LLM) toolAgents() []Participant {
	var parts []Participant
	for i := range a.Tools {
		if t := &a.Tools[i]; t.agent != nil {
			parts = append(parts, Participant{Name: t.Name, Description: t.Description, Agent: t.agent})
		}
	}
	return parts
}

// callNumber says which call of its tool in the turn call i of s is, from 1: the same whenever the turn is entered.
func (r *llmRun) callNumber(s *llmRound, i int) int {
	name, n := r.tools.toolName(s.reply.Calls[i].Name), 1
	for _, round := range r.rounds[:s.place+1] {
		for j, c := range round.reply.Calls {
			if (round != s || j < i) && r.tools.toolName(c.Name) == name {
				n++
			}
		}
	}
	return n
}
