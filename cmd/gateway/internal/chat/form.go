package chat

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// mostNested is the nesting depth of objects in a form; deeper ones are entered as JSON.
const mostNested = 4

// form asks for an object, member by member, until it satisfies the question's schema.
func (a *asker) form(q question) (json.RawMessage, error) {
	s := parseSchema(q.ResponseSchema)
	a.screen.line("  Enter keeps the shown text, an empty line leaves a member out; /cancel gives no answer, Ctrl-C "+
		"leaves it open", dim)
	var filled json.RawMessage
	for {
		var err error
		if filled, err = a.fill(s, filled); err != nil {
			return nil, err
		}
		payload, err := q.fit(filled)
		if err == nil {
			return payload, nil
		}
		a.misfit(err)
	}
}

// fill asks for the members of an object, with the current ones as defaults.
func (a *asker) fill(s schema, now json.RawMessage) (json.RawMessage, error) {
	return a.fillAt(s, now, "", 1)
}

func (a *asker) fillAt(s schema, now json.RawMessage, path string, depth int) (json.RawMessage, error) {
	var filled []member
	seen := map[string]bool{}
	for _, p := range members(s.Properties) {
		if seen[p.name] {
			continue
		}
		seen[p.name] = true
		f := field{name: path + line(p.name, 60), schema: parseSchema(p.value), depth: depth, now: valueOf(now, p.name)}
		for _, name := range s.Required {
			f.required = f.required || name == p.name
		}
		if f.now == nil && now == nil {
			f.now = f.schema.Default
		}
		value, err := a.field(f)
		if err != nil {
			return nil, err
		}
		if value != nil {
			filled = append(filled, member{p.name, value})
		}
	}
	for _, m := range members(now) {
		if !seen[m.name] {
			filled = append(filled, m)
		}
	}
	return object(filled), nil
}

type field struct {
	name     string // with those of the objects around it
	schema   schema
	required bool
	depth    int
	now      json.RawMessage // the default; nil: none
}

func (a *asker) field(f field) (json.RawMessage, error) {
	kind, choices := f.schema.kind(), f.schema.choices()
	about := []string{"any"}
	if kind != "" {
		about[0] = kind
	}
	if f.schema.Format != "" {
		about = append(about, line(f.schema.Format, 40))
	}
	if !f.required {
		about = append(about, "optional")
	}
	a.screen.line("  "+f.name+" ("+strings.Join(about, ", ")+")"+
		describe(strings.TrimSpace(f.schema.Title+" "+f.schema.Description)), plain)
	nested := kind == "object" && len(members(f.schema.Properties)) > 0 && f.depth < mostNested
	if nested && !f.required && f.now == nil {
		if wanted, err := a.sure(promptOf(f.name+"?"), "n"); err != nil || !wanted {
			return nil, err
		}
	}
	if nested {
		return a.fillAt(f.schema, f.now, f.name+".", f.depth+1)
	}
	if len(choices) > 0 {
		a.list(choices)
	}
	for {
		text, err := a.line(promptOf(f.name), f.text())
		if err != nil {
			return nil, err
		}
		if text == "" && !f.required {
			return nil, nil
		}
		value, err := f.value(text)
		if err == nil {
			return value, nil
		}
		a.misfit(err)
	}
}

// promptOf is a name as a prompt, which must leave room for an answer.
func promptOf(name string) string { return line(name, 16) + "> " }

// text returns the field's current value in typed form.
func (f field) text() string {
	if f.now == nil {
		return ""
	}
	for i, c := range f.schema.choices() {
		if compact(c.value) == compact(f.now) {
			return strconv.Itoa(i + 1)
		}
	}
	var text string
	switch kind := f.schema.kind(); {
	case kind == "boolean" && string(f.now) == "true":
		return "y"
	case kind == "boolean" && string(f.now) == "false":
		return "n"
	case kind == "string" && json.Unmarshal(f.now, &text) == nil && text != "" && Clean(text) == text &&
		strings.TrimSpace(text) == text && !strings.ContainsAny(text, "\n\t\""):
		return text
	}
	return Escape(compact(f.now), harmful)
}

// value converts typed text to JSON that satisfies the field's schema. The error is a [misfit].
func (f field) value(text string) (json.RawMessage, error) {
	value, err := f.read(text)
	if err != nil {
		return nil, err
	}
	if checkable(f.schema.raw) {
		if err := state.ValidateAnswer(f.schema.raw, value); err != nil {
			return nil, misfit(f.name + ": " + mismatch(err))
		}
	}
	return value, nil
}

func (f field) read(text string) (json.RawMessage, error) {
	if text == "" {
		return nil, misfit(f.name + ` is needed; write "" for an empty text`)
	}
	choices := f.schema.choices()
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(choices) {
		return choices[n-1].value, nil
	}
	if c := named(choices, text); c != nil {
		return c.value, nil
	}
	if len(choices) > 0 {
		return nil, misfit(fmt.Sprintf("there are the choices 1 to %d", len(choices)))
	}
	var quoted string
	switch f.schema.kind() {
	case "string":
		if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &quoted) == nil {
			return json.RawMessage(text), nil
		}
		return written(text)
	case "":
		if !json.Valid([]byte(text)) && !strings.ContainsAny(text[:1], `"[{`) {
			return written(text)
		}
	case "boolean":
		if yes, ok := decision(text); ok {
			return json.RawMessage(strconv.FormatBool(yes)), nil
		}
		return nil, misfit("write y or n")
	}
	return readJSON(text)
}

// written is a text as JSON.
func written(text string) (json.RawMessage, error) {
	raw, err := agui.Marshal(text)
	if err != nil {
		return nil, misfit("this cannot be written as JSON")
	}
	return raw, nil
}

// readJSON takes JSON as a person writes it.
func readJSON(text string) (json.RawMessage, error) {
	if !json.Valid([]byte(text)) {
		return nil, misfit(`this is no JSON: texts are in "quotes", lists in [brackets], objects in {"braces": …}`)
	}
	return json.RawMessage(compact([]byte(text))), nil
}

func (a *asker) json(prompt string, s schema, now json.RawMessage) (json.RawMessage, error) {
	f := field{name: "this", schema: schema{raw: s.raw}, required: true, now: now}
	for {
		text, err := a.line(prompt, f.text())
		if err != nil {
			return nil, err
		}
		value, err := f.value(text)
		if err == nil {
			return value, nil
		}
		a.misfit(err)
	}
}

// Escape returns JSON with escapes of JSON for characters that a reader must not get as they are.
func Escape(raw string, hidden func(rune) bool) string {
	if !strings.ContainsFunc(raw, hidden) {
		return raw
	}
	var b strings.Builder
	for _, r := range raw {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
