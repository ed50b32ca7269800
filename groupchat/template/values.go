package template

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state/document"
)

var _ groupchat.Provider = (*Template)(nil).Prepare

// Text returns the template with the values of its variables in v. A value longer than [MaxInserted] is cut and ends
// with "…".
func (p *Template) Text(v groupchat.View) string {
	var b strings.Builder
	for _, part := range p.parts {
		if part.variable == nil {
			b.WriteString(part.text)
		} else {
			b.WriteString(part.variable.in(v))
		}
	}
	return b.String()
}

// Value returns an input: see [groupchat.Scoping] and [groupchat.SubOptions]. The value of a template that is one
// {{state:…}} and nothing else is the value in the state, or its default as a text, or null. The value of any other
// template is its text.
func (p *Template) Value(v groupchat.View) (any, error) {
	if !p.IsValue() {
		return p.Text(v), nil
	}
	of := p.parts[0].variable
	switch raw, ok := v.State.Raw(of.Name); {
	case ok && (of.Default == "" || document.Filled(raw)):
		return raw, nil
	case of.Default != "":
		return of.Default, nil
	default:
		return nil, nil
	}
}

// Prepare is a [groupchat.Provider]: the template becomes the instructions.
func (p *Template) Prepare(_ context.Context, _ *groupchat.Turn, into *groupchat.Prepared) error {
	into.Instructions = p.Text(into.View)
	return nil
}

// in returns the text of the variable in v.
func (of *Variable) in(v groupchat.View) string {
	text := ""
	switch of.Kind {
	case State:
		text = textAt(v, of.Name)
	case Input:
		if m, ok := v.LastInput(); ok {
			text = m.Content.Text()
		}
	case Last:
		text = v.LastAnswer(of.Name)
	case Date:
		text = time.Now().UTC().Format(time.DateOnly)
	}
	if strings.TrimSpace(text) == "" {
		return of.Default
	}
	return clip.To(text, MaxInserted)
}

// textAt returns the value at a pointer: a text unchanged, anything else as JSON. An empty value has an empty text.
func textAt(v groupchat.View, pointer string) string {
	if v.State == nil {
		return ""
	}
	raw, ok := v.State.Raw(pointer)
	if !ok || !document.Filled(raw) {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return ""
	}
	return out.String()
}
