package run

import (
	"maps"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A textBuffer is text that is appended to far more often than it is read. Reading it does not copy it.
type textBuffer struct {
	builder strings.Builder
	whole   string // until something is appended
	grown   bool
}

func (g *textBuffer) append(s string) {
	if !g.grown {
		g.builder.WriteString(g.whole)
		g.whole, g.grown = "", true
	}
	g.builder.WriteString(s)
}

func (g *textBuffer) String() string {
	if g.grown {
		return g.builder.String()
	}
	return g.whole
}

type entry struct {
	head    agui.Message // without the tool calls, and without the content once text grows
	text    textBuffer   // the content, if text.grown
	calls   []*call
	changed bool // since the last Mark
}

// message returns the current message. It does not share later changes to the entry.
func (e *entry) message() agui.Message {
	m := e.head
	m.Content = e.content()
	for _, c := range e.calls {
		m.ToolCalls = append(m.ToolCalls, c.toolCall())
	}
	return m
}

func (e *entry) content() agui.Content {
	if e.text.grown {
		return agui.TextContent(e.text.String())
	}
	return e.head.Content
}

// append adds to the text of the message. Content that is no text is replaced, as the client does.
func (e *entry) append(delta string) {
	if !e.text.grown && e.head.Content.IsText() {
		e.text.whole = e.head.Content.Text()
	}
	e.text.append(delta)
}

// merge returns m with the keys of more, the later ones winning. It never changes m, which was handed out.
func merge(m, more agui.Metadata) agui.Metadata {
	if more == nil {
		return m
	}
	out := make(agui.Metadata, len(m)+len(more))
	maps.Copy(out, m)
	maps.Copy(out, more)
	return out
}

// touch notes that e is to be stored.
func (v *View) touch(e *entry) {
	if !e.changed {
		e.changed = true
		v.changes++
	}
}

func (v *View) push(m agui.Message) *entry {
	e := &entry{head: m}
	v.list = append(v.list, e)
	v.joined++
	v.name(e)
	v.touch(e)
	return e
}

// name registers e under its id, unless an earlier message has it: clients use the first one only.
func (v *View) name(e *entry) {
	if _, taken := v.byID[e.head.ID]; !taken {
		v.byID[e.head.ID] = e
	}
}

// annotate merges an event's metadata into the message it is about.
func (v *View) annotate(e *entry, metadata agui.Metadata) {
	if metadata != nil {
		e.head.Metadata = merge(e.head.Metadata, metadata)
		v.touch(e)
	}
}

// startMessage opens a text or reasoning message. It continues an existing message, except an activity.
func (v *View) startMessage(m agui.Message, tag string, metadata agui.Metadata) {
	e := v.entryOf(m.ID)
	if e == nil {
		m.SubagentRunID = tag
		m.Content = agui.TextContent("")
		e = v.push(m)
	}
	if e.head.Role != agui.RoleActivity {
		v.annotate(e, metadata)
	}
}

// continueMessage appends to a text or reasoning message. It is the hot path of every stream.
func (v *View) continueMessage(id, delta string, metadata agui.Metadata) {
	e := v.entryOf(id)
	if e == nil || e.head.Role == agui.RoleActivity {
		return
	}
	e.append(delta)
	v.touch(e)
	v.annotate(e, metadata)
}

func (v *View) endMessage(id string, metadata agui.Metadata) {
	if e := v.entryOf(id); e != nil && e.head.Role != agui.RoleActivity {
		v.annotate(e, metadata)
	}
}

// encrypt attaches an encrypted value. Its event's metadata belongs to the event.
func (v *View) encrypt(e *agui.ReasoningEncryptedValue) {
	if e.Subtype == agui.EncryptedToolCall {
		if c := v.callOf(e.EntityID); c != nil && c.in != nil {
			c.encryptedValue = e.EncryptedValue
			v.touch(c.in)
		}
		return
	}
	if m := v.entryOf(e.EntityID); m != nil && m.head.Role != agui.RoleActivity {
		m.head.EncryptedValue = e.EncryptedValue
		v.touch(m)
	}
}
