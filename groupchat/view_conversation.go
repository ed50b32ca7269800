package groupchat

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/model"
)

func (v View) raw(pointer string) (json.RawMessage, bool) {
	if v.State == nil {
		return nil, false
	}
	return v.State.Raw(pointer)
}

// LastUser returns the newest user message of the conversation, and whether there is one.
func (v View) LastUser() (Message, bool) {
	return v.newest(func(m Message) bool { return m.Role == agui.RoleUser })
}

// LastWords returns the newest message with words that a participant, or the supervisor, said under its name, and
// whether there is one.
func (v View) LastWords(participant string) (Message, bool) {
	return v.newest(func(m Message) bool {
		return m.Role == agui.RoleAssistant && m.Name == participant && !m.Content.IsZero() && v.saidBy(m, participant)
	})
}

// saidBy reports whether m, which has the participant's name, may be the participant's: others in the tree may have
// that name.
func (v View) saidBy(m Message, participant string) bool {
	if v.turn == nil {
		return true
	}
	path := v.turn.x.speaker(m)
	return path == "" || path == joinPath(v.turn.identity(), participant)
}

// newest returns the newest message of the conversation for which is holds. It reads no more of the conversation than
// it has to.
func (v View) newest(is func(Message) bool) (Message, bool) {
	if v.backward == nil {
		return newest(v.History(), is)
	}
	for m := range v.backward {
		if is(m) {
			return m, true
		}
	}
	return Message{}, false
}

// newest returns the last of messages for which is holds.
func newest(messages []Message, is func(Message) bool) (Message, bool) {
	for _, m := range slices.Backward(messages) {
		if is(m) {
			return m, true
		}
	}
	return Message{}, false
}

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
