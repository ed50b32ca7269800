package surface

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// The limits of the conversation in a request to the designing model.
const (
	maxTold      = 20       // messages
	maxToldBytes = 64 << 10 // of them and of the run's context
)

// request is what the model that designs is asked.
func (d designer) request(t *groupchat.Turn, wanted order, catalogue a2ui.Catalogue,
	problems []a2ui.Problem) model.Request {
	parts := []string{d.Instructions, "Design what the user is shown. Answer by calling " + d.tool() +
		", once, and in no other way.\n" + guide + describeCatalogue(catalogue)}
	parts = append(parts, contextOf(t)...)
	if wanted.Changes != "" {
		parts = append(parts, "What is asked for: "+wanted.Changes)
	}
	if wanted.Intent == "update" {
		if _, operations := a2ui.Shown(t.Messages(), wanted.Surface); operations != nil {
			parts = append(parts, "Change the surface that is shown, and keep its id: "+a2ui.Result(operations))
		}
	}
	if problems != nil {
		parts = append(parts,
			"## Previous attempt was invalid\nMend what is wrong and call again, with all "+
				"arguments:\n"+a2ui.FormatProblems(problems))
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	messages := append([]model.Message{{Role: agui.RoleSystem, Text: strings.Join(parts, "\n\n")}}, conversation(t)...)
	return model.Request{Messages: messages,
		Tools: []model.Tool{{Name: d.tool(), Description: renderDescription, Parameters: renderSchema}}}
}

// contextOf is what the page says of itself, but for its catalogue.
func contextOf(t *groupchat.Turn) (parts []string) {
	size := 0
	for _, c := range t.Input().Context {
		size += len(c.Description) + len(c.Value)
		if c.Description != a2ui.CatalogueContext && size <= maxToldBytes {
			parts = append(parts, c.Description+": "+c.Value)
		}
	}
	return parts
}

// conversation returns the newest messages, oldest first, and the results of tools, as words.
func conversation(t *groupchat.Turn) (out []model.Message) {
	size := 0
	for _, m := range slices.Backward(t.Messages()) {
		text := m.Content.Text()
		size += len(text)
		if len(out) == maxTold || len(out) > 0 && size > maxToldBytes {
			break
		}
		switch {
		case text == "":
		case m.Role == agui.RoleUser, m.Role == agui.RoleAssistant:
			out = append(out, model.Message{Role: m.Role, Text: text})
		case m.Role == agui.RoleTool && a2ui.ReadResult(text) == nil:
			out = append(out, model.Message{Role: agui.RoleAssistant, Text: "A tool came to: " + text})
		}
	}
	slices.Reverse(out)
	return out
}
