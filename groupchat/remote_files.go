package groupchat

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/egress"
)

// withoutInnerFiles returns the content of a result with a sentence for each file whose URL a request could not have
// either: a model's server may fetch the files of a conversation.
func (x *exchange) withoutInnerFiles(c agui.Content) agui.Content {
	parts, ok := c.Parts()
	if !ok {
		return c
	}
	changed := false
	for i, p := range parts {
		if p.Source == nil || p.Source.Type != agui.SourceURL || strings.HasPrefix(p.Source.Value, "data:") {
			continue
		}
		_, problem := egress.CheckFileURL(p.Source.Value, x.r.o.AllowAddresses...)
		if problem == "" {
			continue
		}
		if !changed {
			parts, changed = slices.Clone(parts), true
		}
		parts[i] = agui.Part{Type: agui.PartText, Text: "A file was left out: it " + problem + "."}
		x.note(agui.Warning{Path: string(agui.TypeToolCallResult), Reason: "a file " + problem + ", left out"})
	}
	if !changed {
		return c
	}
	return agui.PartsContent(parts...)
}
