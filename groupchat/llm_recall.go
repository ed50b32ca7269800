package groupchat

import (
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// recall keeps what the agent thought in an earlier turn until the message it belongs to, the agent's next, has come,
// if its model wants that back.
func (h *transcript) recall(m Message) {
	switch {
	case m.Role == agui.RoleReasoning && model.Echoes(h.r.Model):
		if h.name == "" && m.SubagentRunID == "" || m.SubagentRunID != "" && h.own[m.SubagentRunID] {
			h.thought += m.Content.Text()
		}
	case m.Role == agui.RoleUser || m.Role == agui.RoleTool:
		h.thought = ""
	}
}
