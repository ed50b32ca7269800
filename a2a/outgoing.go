package a2a

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
)

type outgoing struct {
	id, task, context string
	parts             []part
}

// message is what the run sends: the answer to a question, or what the agent has not been sent yet.
func (a *attempt) message() outgoing {
	in := a.r.Input
	m := outgoing{id: in.RunID, context: in.ThreadID}
	if a.asked != nil {
		m.task = a.taskID
		m.parts = answerParts(in.Resume[0].Payload, a.e.json)
		return m
	}
	for _, c := range in.Context {
		m.parts = append(m.parts, part{Text: c.Description + ": " + c.Value})
	}
	if state := string(in.State); a.c.o.State && a.e.json && state != "" && state != "{}" && state != "null" {
		m.parts = append(m.parts, part{Data: in.State, MediaType: "application/json"})
	}
	fresh := in.Messages[min(a.r.Known, len(in.Messages)):]
	words := a.words(fresh)
	for i := len(in.Messages) - 1; i >= 0 && len(words) == 0; i-- {
		words = a.words(in.Messages[i : i+1]) // another turn without a new message
	}
	if m.parts = append(m.parts, words...); len(m.parts) == 0 {
		m.parts = []part{{}} // a message has a part
	}
	return m
}

func (a *attempt) words(messages []agui.Message) []part {
	var list []part
	for _, m := range messages {
		switch m.Role {
		case agui.RoleUser, agui.RoleSystem, agui.RoleDeveloper:
		default:
			continue
		}
		parts, ok := m.Content.Parts()
		if !ok {
			parts = []agui.Part{{Type: agui.PartText, Text: m.Content.Text()}}
		}
		converted, lost := fromParts(parts)
		if lost {
			a.r.Warn("", "a message has a file that only a model's provider has")
		}
		list = append(list, converted...)
	}
	return list
}

// answerParts is what somebody answered: a text as it is, anything else as data, or written out for an agent that reads
// none.
func answerParts(payload json.RawMessage, reads bool) []part {
	var text string
	switch {
	case len(payload) == 0, exact.Unmarshal(payload, &text) == nil:
		return []part{{Text: text}}
	case reads:
		return []part{{Data: payload, MediaType: "application/json"}}
	default:
		return []part{{Text: string(payload)}}
	}
}
