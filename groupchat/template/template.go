package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state/document"
)

// The limits of templates. The value of a variable is cut at MaxInserted bytes.
const (
	MaxInserted  = 16 << 10
	MaxVariables = 64 // in one text
)

// A Kind is the source of the value of a variable.
type Kind string

// The kinds of variables.
const (
	State Kind = "state" // the value at a JSON Pointer of the state: {{state:/topic}}
	Input Kind = "input" // the user's last message: {{input}}
	Last  Kind = "last"  // the last words of a participant: {{last:researcher}}
	Date  Kind = "date"  // the day, in UTC, as 2006-01-02: {{date}}
)

// kinds lists the variables as they are written.
var kinds = []string{"{{state:/pointer}}", "{{input}}", "{{last:participant}}", "{{date}}"}

// A Variable is a place in a [Template] for a value.
type Variable struct {
	Kind Kind
	Name string // the JSON Pointer, or the participant
	// Default is inserted if there is no value: none at all, or null, "", [] or {}.
	Default string
}

// A Template is text with variables. Values are inserted unchanged: a value that looks like a variable is text. A
// template does not change, and may be used by several goroutines at once.
type Template struct {
	parts []part // each with a text or a variable
}

type part struct {
	text     string
	variable *Variable
}

// Parse reads a template: text with variables such as {{state:/topic}}, {{input}}, {{last:researcher}} and
// {{date}}, each with an optional default after a bar: {{state:/topic|the weather}}. {{{{ is written for the characters
// {{. The error describes the mistake in the first variable that is none, and quotes that variable.
func Parse(text string) (*Template, error) {
	p := &Template{}
	literal := ""
	for {
		before, rest, found := strings.Cut(text, "{{")
		literal += before
		if !found {
			p.add(literal)
			return p, nil
		}
		if after, escaped := strings.CutPrefix(rest, "{{"); escaped {
			literal, text = literal+"{{", after
			continue
		}
		inside, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, errors.New("a {{ without its }}; write {{{{ for the characters themselves")
		}
		v, err := parseVariable(inside)
		if err != nil {
			return nil, err
		}
		p.add(literal)
		p.parts = append(p.parts, part{variable: v})
		if len(p.Variables()) > MaxVariables {
			return nil, fmt.Errorf("more than %d variables", MaxVariables)
		}
		literal, text = "", after
	}
}

func (p *Template) add(text string) {
	if text != "" {
		p.parts = append(p.parts, part{text: text})
	}
}

// parseVariable reads the text between {{ and }}.
func parseVariable(inside string) (*Variable, error) {
	quoted := "{{" + clip.To(inside, 60) + "}}"
	what, otherwise, _ := strings.Cut(inside, "|")
	kind, name, named := strings.Cut(strings.TrimSpace(what), ":")
	v := &Variable{Kind: Kind(kind), Name: name, Default: strings.TrimSpace(otherwise)}
	switch v.Kind {
	case State:
		if !strings.HasPrefix(name, "/") || document.CheckPointer(name) != nil {
			return nil, fmt.Errorf("%s: not a JSON Pointer; write {{state:/name}} or {{state:/name/inner}}", quoted)
		}
	case Last:
		if name == "" {
			return nil, fmt.Errorf("%s names nobody; write {{last:participant}}", quoted)
		}
	case Input, Date:
		if named {
			return nil, fmt.Errorf("%s: nothing follows %s; write {{%s}}", quoted, kind, kind)
		}
	default:
		return nil, fmt.Errorf("%s is no variable; write one of %s, or {{{{ for the characters themselves", quoted,
			strings.Join(kinds, ", "))
	}
	return v, nil
}

// Variables returns the variables of the template in their order.
func (p *Template) Variables() []Variable {
	var all []Variable
	for _, part := range p.parts {
		if part.variable != nil {
			all = append(all, *part.variable)
		}
	}
	return all
}

// IsValue reports whether the template is one variable of the state and nothing else, with a value of any type: see
// [Template.Value].
func (p *Template) IsValue() bool {
	return len(p.parts) == 1 && p.parts[0].variable != nil && p.parts[0].variable.Kind == State
}

// Expand returns the template with f applied to each piece of fixed text and to each default. The results of f are not
// parsed.
func (p *Template) Expand(f func(text string) string) *Template {
	q := &Template{parts: slices.Clone(p.parts)}
	for i, part := range q.parts {
		if part.variable == nil {
			q.parts[i].text = f(part.text)
			continue
		}
		v := *part.variable
		if v.Default != "" {
			v.Default = f(v.Default)
		}
		q.parts[i].variable = &v
	}
	return q
}
