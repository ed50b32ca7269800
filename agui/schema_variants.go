package agui

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"

	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// The read methods of this file are for types with fields that depend on a discriminator.

// A choice is a type with a discriminator. It lists the members that each variant has beside those of all variants.
type choice struct {
	by      string // the discriminator
	unknown string // the warning about another variant
	all     []string
	of      map[string]variant
}

type variant struct{ required, optional []string }

func (v variant) has(name string) bool {
	return slices.Contains(v.required, name) || slices.Contains(v.optional, name)
}

var (
	messages = choice{"role", "has an unknown role", []string{"id", "role", "subagentRunId", "metadata"},
		map[string]variant{
			string(RoleDeveloper): {[]string{"content"}, []string{"name", "encryptedValue"}},
			string(RoleSystem):    {[]string{"content"}, []string{"name", "encryptedValue"}},
			string(RoleAssistant): {nil, []string{"content", "toolCalls", "name", "encryptedValue"}},
			string(RoleUser):      {[]string{"content"}, []string{"name", "encryptedValue"}},
			string(RoleTool):      {[]string{"content", "toolCallId"}, []string{"error", "encryptedValue"}},
			string(RoleActivity):  {[]string{"content", "activityType"}, nil},
			string(RoleReasoning): {[]string{"content"}, []string{"encryptedValue"}},
		}}
	sources = choice{"type", "is a source of an unknown type", []string{"type", "value", "mimeType"},
		map[string]variant{
			string(SourceData): {[]string{"mimeType"}, nil},
			string(SourceURL):  {},
			string(SourceFile): {nil, []string{"provider"}},
		}}
	outcomes = choice{"type", "is an outcome of an unknown type", []string{"type"},
		map[string]variant{
			string(OutcomeSuccess):   {nil, []string{"pendingToolCallIds"}},
			string(OutcomeInterrupt): {nil, []string{"interrupts"}},
			string(OutcomeCancelled): {},
		}}
	subagentOutcomes = choice{"type", "is an outcome of an unknown type", []string{"type"},
		map[string]variant{
			string(OutcomeSuccess):   {},
			string(OutcomeSuspended): {nil, []string{"interruptIds"}},
		}}
)

// choose fills the struct that target points to, which is of a variant of c: it has just the members of the variant,
// and must have those that are required.
func (r *decoder) choose(c *choice, raw json.RawMessage, target any) error {
	kind, err := r.variant(c.by, raw)
	if err != nil {
		return err
	}
	v, ok := c.of[kind]
	if !ok {
		r.drop("", c.unknown)
		return errDropped
	}
	m, err := r.object(raw, planOf(reflect.TypeOf(target).Elem()))
	if err != nil {
		return err
	}
	defer r.release(m)
	for _, name := range v.required {
		if _, ok := m[name]; !ok {
			return r.fail(name, "is missing")
		}
	}
	for name := range m {
		if !slices.Contains(c.all, name) && !v.has(name) {
			r.drop(name, "is not a member of this variant")
			delete(m, name)
		}
	}
	return r.fields(m, target)
}

// check is choose for a struct that is to be written.
func (c *choice) check(kind string, value any) *FieldError {
	v, ok := c.of[kind]
	if !ok {
		return &FieldError{c.by, "is unknown"}
	}
	fields := reflect.ValueOf(value).Elem()
	for _, f := range planOf(fields.Type()).fields {
		field := fields.FieldByIndex(f.index)
		empty := field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0
		if !empty && !slices.Contains(c.all, f.name) && !v.has(f.name) {
			return &FieldError{f.name, "is not a member of this variant"}
		}
	}
	return checkFields(fields)
}

func (m *Message) read(r *decoder, raw json.RawMessage) error {
	if short, ok := scanMessage(raw); ok {
		*m = short
		return nil
	}
	return m.readFull(r, raw)
}

func (m *Message) readFull(r *decoder, raw json.RawMessage) error {
	type plain Message
	var p plain
	if err := r.choose(&messages, raw, &p); err != nil {
		return err
	}
	*m = Message(p)
	if problem := m.Content.fits(m.Role, ""); problem != nil {
		return r.fail("content", problem.Problem)
	}
	return nil
}

// fits reports content of a form that role does not have.
func (c Content) fits(role Role, path string) *FieldError {
	switch {
	case role == RoleActivity && c.kind != contentObject:
		return &FieldError{path, "must be an object"}
	case role != RoleActivity && c.kind == contentObject:
		return &FieldError{path, "must be a string"}
	case c.kind == contentParts && role != RoleUser && role != RoleTool:
		return &FieldError{path, "must be a string"}
	default:
		return nil
	}
}

func (c *Content) read(r *decoder, raw json.RawMessage) error {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '"':
		c.kind = contentText
		return r.value(raw, reflect.ValueOf(&c.text).Elem())
	case '[':
		c.kind = contentParts
		return r.value(raw, reflect.ValueOf(&c.parts).Elem())
	case '{':
		c.kind, c.raw = contentObject, bytes.Clone(raw)
		return nil
	default:
		return r.fail("", "must be a string")
	}
}

func (p *Part) read(r *decoder, raw json.RawMessage) error {
	kind, err := r.variant("type", raw)
	if err != nil {
		return err
	}
	switch PartType(kind) {
	case PartText:
		var f struct {
			Type     string          `json:"type"`
			ID       string          `json:"id,omitempty"`
			Text     string          `json:"text"`
			Metadata json.RawMessage `json:"metadata,omitempty" null:"absent"`
		}
		if err := r.structure(raw, &f); err != nil {
			return err
		}
		*p = Part{Type: PartText, ID: f.ID, Text: f.Text, Metadata: f.Metadata}
		return nil
	case PartImage, PartAudio, PartVideo, PartDocument:
		var f struct {
			Type     string          `json:"type"`
			ID       string          `json:"id,omitempty"`
			Source   Source          `json:"source"`
			Metadata json.RawMessage `json:"metadata,omitempty" null:"absent"`
		}
		if err := r.structure(raw, &f); err != nil {
			return err
		}
		*p = Part{Type: PartType(kind), ID: f.ID, Source: &f.Source, Metadata: f.Metadata}
		return nil
	case partBinary:
		return p.readOlder(r, raw)
	default:
		r.drop("", "is a content part of an unknown type")
		return errDropped
	}
}

func (s *Source) read(r *decoder, raw json.RawMessage) error {
	type plain Source
	return r.choose(&sources, raw, (*plain)(s))
}

func (u *TokenUsage) read(r *decoder, raw json.RawMessage) error {
	type plain TokenUsage
	var p plain
	if err := r.structure(raw, &p); err != nil {
		return err
	}
	*u = TokenUsage(p)
	if problem := u.negative(); problem != nil {
		return r.fail(problem.Path, problem.Problem)
	}
	return nil
}

// metadataSize is about what one member of a dictionary takes in memory beside its JSON.
const metadataSize = 64

func (m *Metadata) read(r *decoder, raw json.RawMessage) error {
	if !isObject(raw) {
		return r.fail("", "must be an object")
	}
	raw = bytes.Clone(raw) // checkID for all values
	n := 0
	for range jsonscan.Members(raw) {
		n++
	}
	if err := r.spend(n * metadataSize); err != nil {
		return err
	}
	*m = make(Metadata, n)
	for quoted, value := range jsonscan.Members(raw) {
		name, _ := textOf(quoted)
		(*m)[name] = value[:len(value):len(value)]
	}
	return nil
}

// pointer is RFC 6901.
var pointer = regexp.MustCompile(`^(/([^/~]|~[01])*)*$`)

func (o *PatchOp) read(r *decoder, raw json.RawMessage) error {
	op, err := r.variant("op", raw)
	if err != nil {
		return err
	}
	m, err := r.object(raw, planOf(reflect.TypeOf(*o)))
	if err != nil {
		return err
	}
	defer r.release(m)
	needs := "" // RFC 6902: members an operation does not define are ignored
	switch op {
	case "add", "replace", "test":
		needs = "value"
		delete(m, "from")
	case "move", "copy":
		needs = "from"
		delete(m, "value")
	case "remove":
		delete(m, "from")
		delete(m, "value")
	default:
		r.drop("", "is a patch operation of an unknown kind")
		return errDropped
	}
	if needs != "" && m[needs] == nil {
		return r.fail(needs, "is missing")
	}
	if err := r.fields(m, o); err != nil {
		return err
	}
	if !pointer.MatchString(o.Path) {
		return r.fail("path", "must be a JSON pointer")
	}
	if !pointer.MatchString(o.From) {
		return r.fail("from", "must be a JSON pointer")
	}
	return nil
}

func (o *Outcome) read(r *decoder, raw json.RawMessage) error {
	type plain Outcome
	err := r.choose(&outcomes, raw, (*plain)(o))
	if err == nil && o.Type == OutcomeInterrupt && len(o.Interrupts) == 0 {
		err = r.fail("interrupts", "must not be empty")
	}
	return err
}

func (o *SubagentOutcome) read(r *decoder, raw json.RawMessage) error {
	type plain SubagentOutcome
	return r.choose(&subagentOutcomes, raw, (*plain)(o))
}

// variant returns the member of raw that says which variant it is of.
func (r *decoder) variant(name string, raw json.RawMessage) (string, error) {
	if !isObject(raw) {
		return "", r.fail("", "must be an object")
	}
	var kind json.RawMessage
	for quoted, value := range jsonscan.Members(raw) {
		if member, _ := jsonscan.Unquote(quoted); string(member) == name {
			kind = value
		}
	}
	if kind == nil {
		return "", r.fail(name, "is missing")
	}
	s, ok := textOf(kind)
	if !ok {
		return "", r.fail(name, "must be a string")
	}
	return s, nil
}
