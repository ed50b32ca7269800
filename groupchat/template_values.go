package groupchat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state/document"
)

// Text is the template with the values that its variables have in v. A value that is longer than [MaxInserted] is cut
// and ends with "…".
func (p *Template) Text(v View) string {
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

// Value is an input: see [Scoping] and [SubOptions]. A template that is one {{state:…}} and nothing else is the value
// itself, or its default as a text, or null; any other is its text.
func (p *Template) Value(v View) (any, error) {
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

// Prepare is a [Provider]: the template becomes the instructions.
func (p *Template) Prepare(_ context.Context, _ *Turn, into *Prepared) error {
	into.Instructions = p.Text(into.View)
	return nil
}

func (of *Variable) in(v View) string {
	text := ""
	switch of.Kind {
	case VariableState:
		text = v.stateText(of.Name)
	case VariableInput:
		if m, ok := lastUser(v.conversation()); ok {
			text = m.Content.Text()
		}
	case VariableLast:
		text = v.lastWordsOf(of.Name)
	case VariableDate:
		text = time.Now().UTC().Format(time.DateOnly)
	}
	if strings.TrimSpace(text) == "" {
		return of.Default
	}
	return clip.To(text, MaxInserted)
}

// stateText is the value at a pointer: a text as it is, anything else as JSON, and empty if it holds nothing.
func (v View) stateText(pointer string) string {
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

// A hearing is what variables look at: all of a conversation that a turn may see, whatever its participant's context
// leaves out of it.
type hearing struct {
	turn     *Turn
	chat     *chatRun // the manager's chat; nil for a participant
	messages func() []Message
}

// hears is the hearing of t. Unless it is to be of now, messages since t began are omitted: others may be at work
// beside it.
func (t *Turn) hears(now bool) *hearing {
	return &hearing{turn: t, messages: sync.OnceValue(func() []Message {
		if now {
			return t.conversation()
		}
		return t.heard()
	})}
}

// viewNow is t's view with the messages since t began.
func (t *Turn) viewNow() View {
	v := t.view()
	v.history, v.hearing = t.Messages, t.hears(true)
	return v
}

func (r *chatRun) hears() *hearing {
	h := r.t.hears(true)
	h.chat = r
	return h
}

// heard is t's conversation as it was when t began.
func (t *Turn) heard() []Message {
	all := t.conversation()
	after := t.record.After
	if t.visibility != nil {
		after = cmp.Or(after, t.visibility.after)
	}
	if after == "" {
		return all
	}
	later, past := map[string]bool{}, false
	t.run.Inspect(func(v *run.View) {
		for _, m := range v.Messages() {
			if past {
				later[m.ID] = true
			}
			past = past || m.ID == after
		}
	})
	return slices.DeleteFunc(slices.Clone(all), func(m Message) bool { return later[m.ID] })
}

func (v View) conversation() []Message {
	if v.hearing == nil {
		return v.History()
	}
	return v.hearing.messages()
}

// lastWordsOf is the last that the participant of a name has said, or that somebody in its team has.
func (v View) lastWordsOf(name string) string {
	if v.hearing == nil {
		m, _ := v.LastWords(name)
		return m.Content.Text()
	}
	path, said := v.hearing.saidBy(name)
	return joined(v.hearing.turn.x.answers(v.conversation(), cmp.Or(path, name), said))
}

// saidBy tells the messages of the participant of a name, and its path: the one of the nearest team that has one, else
// the only one in the whole tree.
func (h *hearing) saidBy(name string) (path string, said func(Message) bool) {
	x := h.turn.x
	path = x.names[name]
	chat := h.chat
	for at := h.turn; at != nil; at = at.up {
		if chat == nil {
			chat = at.chat
		}
		if chat != nil && chat.participant(name) != nil {
			path = joinPath(chat.t.identity(), name)
			break
		}
		chat = nil
	}
	return path, func(m Message) bool {
		by := x.speaker(m)
		switch {
		case by == "":
			return m.Name == name
		case path == "":
			return by == name || strings.HasSuffix(by, "."+name)
		default:
			return by == path || strings.HasPrefix(by, path+".")
		}
	}
}
