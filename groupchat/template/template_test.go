package template_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	. "github.com/agui-gateway/gateway/groupchat/template"
	"github.com/agui-gateway/gateway/state/document"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// viewOf is a view of a state with a conversation, as somebody has it who makes one in a test.
func viewOf(t testing.TB, raw string, messages ...groupchat.Message) groupchat.View {
	t.Helper()
	scope, err := document.Isolated(json.RawMessage(raw), document.Options{})
	must(t, err)
	return groupchat.View{State: scope}.WithHistory(messages)
}

func message(role agui.Role, name, text string) groupchat.Message {
	return groupchat.Message{ID: name + text, Role: role, Name: name, Content: agui.TextContent(text)}
}

func TestATemplatesVariablesAreValues(t *testing.T) {
	t.Parallel()
	v := viewOf(t, `{"topic":"tea","n":7,"list":["a","b"],"none":"","empty":{"x":[]},"odd":{"a/b":"slash"},"evil":"{{input}} {{state:/topic}}"}`,
		message(agui.RoleUser, "", "first"), message(agui.RoleAssistant, "researcher", "early"), message(agui.RoleUser, "", "{{state:/topic}}?"),
		message(agui.RoleAssistant, "researcher", "found it"), message(agui.RoleAssistant, "writer", "wrote it"))
	for text, want := range map[string]string{
		"plain":                     "plain",
		"":                          "",
		"On {{state:/topic}}.":      "On tea.",
		"{{state:/n}}{{state:/n}}":  "77",
		"{{ state:/list }}":         `["a","b"]`,
		"{{state:/odd/a~1b}}":       "slash",
		"[{{state:/no}}]":           "[]",
		"[{{state:/none|nothing}}]": "[nothing]",
		"[{{state:/empty|a|b}}]":    "[a|b]",
		"{{state:/topic|else}}":     "tea",
		"{{input}}":                 "{{state:/topic}}?",
		"{{last:researcher}}":       "found it",
		"{{last:nobody|-}}":         "-",
		"{{state:/evil}}":           "{{input}} {{state:/topic}}",
		"{{{{input}} is {{input}}":  "{{input}} is {{state:/topic}}?",
		"a }} b } { c":              "a }} b } { c",
		"ünï {{last:writer}} ✓":     "ünï wrote it ✓",
	} {
		p, err := Parse(text)
		must(t, err)
		equal(t, text, p.Text(v), want)
	}
	for _, bad := range []string{
		"{{", "a {{input", "{{nope}}", "{{Input}}", "{{state}}", "{{state:}}", "{{state:topic}}", "{{state:/a~2}}", "{{last}}", "{{last:}}",
		"{{input:x}}", "{{}}", "{{|x}}", "{{.Name}}", strings.Repeat("{{input}}", MaxVariables+1),
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) has no error", bad)
		}
	}
}

func TestWhatATemplatePutsInIsBounded(t *testing.T) {
	t.Parallel()
	p, err := Parse("{{input}}|{{state:/x}}")
	must(t, err)
	long := strings.Repeat("ä", MaxInserted)
	text := p.Text(viewOf(t, `{"x":"`+long+`"}`, message(agui.RoleUser, "", long)))
	for part := range strings.SplitSeq(text, "|") {
		if len(part) > MaxInserted+len("…") || !strings.HasSuffix(part, "ä…") {
			t.Errorf("%d bytes are put in, ending in %q", len(part), part[len(part)-6:])
		}
	}
}

func TestATemplateThatIsOneValueIsThatValue(t *testing.T) {
	t.Parallel()
	v := viewOf(t, `{"n":7,"list":[1]}`, message(agui.RoleUser, "", "hi"))
	for text, want := range map[string]string{
		"{{state:/n}}": "7", "{{state:/list}}": "[1]", "{{state:/no}}": "null", "{{state:/no|x}}": `"x"`, "n={{state:/n}}": `"n=7"`, "{{input}}": `"hi"`,
	} {
		p, err := Parse(text)
		must(t, err)
		value, err := p.Value(v)
		must(t, err)
		raw, err := json.Marshal(value)
		must(t, err)
		equal(t, text, string(raw), want)
	}
}

func TestExpandedTextIsNotReadAgain(t *testing.T) {
	t.Parallel()
	p, err := Parse("${X} {{input|${X}}}!")
	must(t, err)
	q := p.Expand(func(text string) string { return strings.ReplaceAll(text, "${X", "{{input") })
	equal(t, "expanded", q.Text(viewOf(t, `{}`, message(agui.RoleUser, "", "hi"))), "{{input} hi}!")
	equal(t, "the first", p.Text(viewOf(t, `{}`)), "${X} ${X}!")
}

// FuzzParse wants any text to be a template or an error, templates to put nothing of a value's variables in,
// and text in which no brace stands twice to be itself.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "{{input}}", "{{{{", "{{state:/a~1b|c}}", "{{last:x}}{{date}}", "a{{", "}}{{input|{{}}", "{{{input}}}"} {
		f.Add(seed, "{{input}}")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		p, err := Parse(text)
		if err != nil {
			if len(err.Error()) > 500 {
				t.Errorf("the error is of %d bytes", len(err.Error()))
			}
			return
		}
		if !strings.Contains(text, "{{") {
			equal(t, "text", p.Text(groupchat.View{}), text)
		}
		if len(p.Variables()) == 0 || strings.ContainsAny(value, "\x00") {
			return
		}
		v := groupchat.View{}.WithHistory([]groupchat.Message{message(agui.RoleUser, "", value)})
		room := len(text) + (MaxInserted+3)*len(p.Variables())
		if got := p.Text(v); len(got) > room {
			t.Errorf("%d bytes of at most %d", len(got), room)
		}
		if in, ok := strings.CutSuffix(text, "{{input}}"); ok && !strings.HasSuffix(in, "{{") && strings.TrimSpace(value) != "" && len(value) < MaxInserted {
			if got := p.Text(v); !strings.HasSuffix(got, value) {
				t.Errorf("%q ends in %q, not in %q", text, got, value)
			}
		}
	})
}
