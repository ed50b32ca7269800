package groupchat

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/model"
)

// Transcript is the newest part of the conversation, at most maxBytes of it, in the form for a leading model: words
// alone, others' under their names, the supervisor's as its own. The newest message of the user's is always in it, as
// long as it is not longer than that itself, and alone has its pictures. It reads no more of the conversation than it
// returns.
func (v View) Transcript(maxBytes int) []model.Message {
	var out []model.Message // the newest first
	left, heard := maxBytes, false
	v.newest(func(m Message) bool {
		message, ok := v.forModel(m, !heard)
		if !ok {
			return false
		}
		if left -= len(message.Text); left < 0 && len(out) > 0 {
			return true
		}
		message.Text = clip.To(message.Text, maxBytes)
		out, heard = append(out, message), heard || m.Role == agui.RoleUser
		return false
	})
	if !heard {
		if m, ok := v.LastUser(); ok {
			message, _ := v.forModel(m, true)
			message.Text = clip.To(message.Text, maxBytes)
			out = append(out, message)
		}
	}
	slices.Reverse(out)
	return out
}

// forModel returns m as in a request, and whether it is in one at all.
func (v View) forModel(m Message, parts bool) (model.Message, bool) {
	words := m.Content.Text()
	switch {
	case m.Role == agui.RoleUser:
		message := model.Message{Role: agui.RoleUser, Text: words}
		if parts {
			message.Parts, _ = m.Content.Parts()
		}
		return message, true
	case m.Role != agui.RoleAssistant || strings.TrimSpace(words) == "":
		return model.Message{}, false
	case m.Name == v.Supervisor || v.isUnnamedSupervisors(m):
		return model.Message{Role: agui.RoleAssistant, Text: words}, true
	}
	return model.Message{Role: agui.RoleUser, Text: v.nameOf(m) + ": " + words}, true
}

// isUnnamedSupervisors reports whether m, which has no name, is the supervisor's: in a chat inside of another agent's
// turn it is the root's.
func (v View) isUnnamedSupervisors(m Message) bool {
	return m.Name == "" && (v.turn == nil || v.turn.up == nil)
}

// nameOf is the name under which a model that leads is sent what an agent said in m.
func (v View) nameOf(m Message) string {
	if v.turn == nil {
		return m.Name
	}
	return v.turn.x.nameOf(m)
}
