package wire

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// Links are the links to the files of a thread, below the address of the gateway. The zero value makes none.
type Links struct {
	Thread, Agent string
}

// In returns the message with a link in the place of each file that is inline in it. What it is given is not changed.
func (l Links) In(m agui.Message) agui.Message {
	parts, ok := m.Content.Parts()
	isInline := func(p agui.Part) bool { return p.Source != nil && p.Source.Type == agui.SourceData }
	if l == (Links{}) || !ok || !slices.ContainsFunc(parts, isInline) {
		return m
	}
	parts = slices.Clone(parts)
	for n, p := range parts {
		if isInline(p) {
			parts[n].Source = &agui.Source{Type: agui.SourceURL, MimeType: p.Source.MimeType, Value: l.to(m.ID, n)}
		}
	}
	m.Content = agui.PartsContent(parts...)
	return m
}

func (l Links) to(message string, n int) string {
	return "/threads/" + url.PathEscape(l.Thread) + "/messages/" + url.PathEscape(message) + "/files/" +
		strconv.Itoa(n) + "?agent=" + url.QueryEscape(l.Agent)
}
