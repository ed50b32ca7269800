package agui

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
)

// The read methods of this file are for the types whose fields depend on a discriminator.

// roleFields lists the members each role may hold besides id, role, subagentRunId and metadata; the first
// group is required.
var roleFields = map[Role]struct{ required, optional []string }{
	RoleDeveloper: {[]string{"content"}, []string{"name", "encryptedValue"}},
	RoleSystem:    {[]string{"content"}, []string{"name", "encryptedValue"}},
	RoleAssistant: {nil, []string{"content", "toolCalls", "name", "encryptedValue"}},
	RoleUser:      {[]string{"content"}, []string{"name", "encryptedValue"}},
	RoleTool:      {[]string{"content", "toolCallId"}, []string{"error", "encryptedValue"}},
	RoleActivity:  {[]string{"content", "activityType"}, nil},
	RoleReasoning: {[]string{"content"}, []string{"encryptedValue"}},
}

func (m *Message) read(r *reader, path string, raw json.RawMessage) error {
	members, role, err := r.variant(path, "role", raw)
	if err != nil {
		return err
	}
	fields, ok := roleFields[Role(role)]
	if !ok {
		r.drop(path, "has an unknown role")
		return errDropped
	}
	for _, name := range fields.required {
		if _, ok := members[name]; !ok {
			return &FieldError{join(path, name), "is missing"}
		}
	}
	for name := range members {
		common := name == "id" || name == "role" || name == "subagentRunId" || name == "metadata"
		if !common && !slices.Contains(fields.required, name) && !slices.Contains(fields.optional, name) {
			r.drop(join(path, name), "is not a member of this role's messages")
			delete(members, name)
		}
	}
	type plain Message
	var p plain
	if err := r.fields(path, members, &p); err != nil {
		return err
	}
	*m = Message(p)
	if problem := m.Content.fits(m.Role, join(path, "content")); problem != nil {
		return problem
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

func (c *Content) read(r *reader, path string, raw json.RawMessage) error {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '"':
		c.kind = contentText
		return json.Unmarshal(raw, &c.text)
	case '[':
		c.kind = contentParts
		return r.value(path, raw, reflect.ValueOf(&c.parts).Elem())
	case '{':
		c.kind, c.raw = contentObject, bytes.Clone(raw)
		return nil
	default:
		return &FieldError{path, "must be a string"}
	}
}

func (p *Part) read(r *reader, path string, raw json.RawMessage) error {
	members, kind, err := r.variant(path, "type", raw)
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
		if err := r.fields(path, members, &f); err != nil {
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
		if err := r.fields(path, members, &f); err != nil {
			return err
		}
		*p = Part{Type: PartType(kind), ID: f.ID, Source: &f.Source, Metadata: f.Metadata}
		return nil
	default:
		r.drop(path, "is a content part of an unknown type")
		return errDropped
	}
}

func (s *Source) read(r *reader, path string, raw json.RawMessage) error {
	members, kind, err := r.variant(path, "type", raw)
	if err != nil {
		return err
	}
	switch SourceType(kind) {
	case SourceData, SourceURL, SourceFile:
	default:
		r.drop(path, "is a source of an unknown type")
		return errDropped
	}
	if _, ok := members["mimeType"]; !ok && SourceType(kind) == SourceData {
		return &FieldError{join(path, "mimeType"), "is missing"}
	}
	if _, ok := members["provider"]; ok && SourceType(kind) != SourceFile {
		r.drop(join(path, "provider"), "is not a member of this source")
		delete(members, "provider")
	}
	type plain Source
	var p plain
	if err := r.fields(path, members, &p); err != nil {
		return err
	}
	*s = Source(p)
	return nil
}

func (u *TokenUsage) read(r *reader, path string, raw json.RawMessage) error {
	members, err := r.object(path, raw)
	if err != nil {
		return err
	}
	type plain TokenUsage
	var p plain
	if err := r.fields(path, members, &p); err != nil {
		return err
	}
	*u = TokenUsage(p)
	for name, n := range map[string]*int64{
		"inputTokens": u.InputTokens, "outputTokens": u.OutputTokens, "totalTokens": u.TotalTokens,
		"reasoningTokens": u.ReasoningTokens, "cachedInputTokens": u.CachedInputTokens, "cacheWriteInputTokens": u.CacheWriteInputTokens,
	} {
		if n != nil && *n < 0 {
			return &FieldError{join(path, name), "must not be negative"}
		}
	}
	return nil
}

func (m *Metadata) read(r *reader, path string, raw json.RawMessage) error {
	members, err := r.object(path, raw)
	if err != nil {
		return err
	}
	*m = members
	return nil
}

// pointer is RFC 6901.
var pointer = regexp.MustCompile(`^(/([^/~]|~[01])*)*$`)

func (o *PatchOp) read(r *reader, path string, raw json.RawMessage) error {
	members, op, err := r.variant(path, "op", raw)
	if err != nil {
		return err
	}
	needsValue, needsFrom := false, false
	switch op {
	case "add", "replace", "test":
		needsValue = true
	case "move", "copy":
		needsFrom = true
	case "remove":
	default:
		r.drop(path, "is a patch operation of an unknown kind")
		return errDropped
	}
	var f struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		From  string          `json:"from,omitempty"`
		Value json.RawMessage `json:"value" agui:"any"`
	}
	if needsValue && members["value"] == nil {
		return &FieldError{join(path, "value"), "is missing"}
	}
	if !needsValue {
		delete(members, "value") // RFC 6902: members an operation does not define are ignored
	}
	if needsFrom && members["from"] == nil {
		return &FieldError{join(path, "from"), "is missing"}
	}
	if !needsFrom {
		delete(members, "from")
	}
	if err := r.fields(path, members, &f); err != nil {
		return err
	}
	if !pointer.MatchString(f.Path) {
		return &FieldError{join(path, "path"), "must be a JSON pointer"}
	}
	if !pointer.MatchString(f.From) {
		return &FieldError{join(path, "from"), "must be a JSON pointer"}
	}
	*o = PatchOp{Op: f.Op, Path: f.Path, From: f.From, Value: f.Value}
	return nil
}

func (o *Outcome) read(r *reader, path string, raw json.RawMessage) error {
	members, kind, err := r.variant(path, "type", raw)
	if err != nil {
		return err
	}
	type plain Outcome
	var p plain
	switch OutcomeType(kind) {
	case OutcomeSuccess:
		err = r.only(path, members, &p, "type", "pendingToolCallIds")
	case OutcomeInterrupt:
		err = r.only(path, members, &p, "type", "interrupts")
		if err == nil && len(p.Interrupts) == 0 {
			err = &FieldError{join(path, "interrupts"), "must not be empty"}
		}
	case OutcomeCancelled:
		err = r.only(path, members, &p, "type")
	default:
		r.drop(path, "is an outcome of an unknown type")
		return errDropped
	}
	*o = Outcome(p)
	return err
}

func (o *SubagentOutcome) read(r *reader, path string, raw json.RawMessage) error {
	members, kind, err := r.variant(path, "type", raw)
	if err != nil {
		return err
	}
	type plain SubagentOutcome
	var p plain
	switch OutcomeType(kind) {
	case OutcomeSuccess:
		err = r.only(path, members, &p, "type")
	case OutcomeSuspended:
		err = r.only(path, members, &p, "type", "interruptIds")
	default:
		r.drop(path, "is an outcome of an unknown type")
		return errDropped
	}
	*o = SubagentOutcome(p)
	return err
}

// only is fields for a variant that has just the members named.
func (r *reader) only(path string, members map[string]json.RawMessage, target any, names ...string) error {
	for name := range members {
		if !slices.Contains(names, name) {
			r.drop(join(path, name), "is not a member of this variant")
			delete(members, name)
		}
	}
	return r.fields(path, members, target)
}

// variant splits raw into its members and reads the one that says which variant it is of.
func (r *reader) variant(path, name string, raw json.RawMessage) (map[string]json.RawMessage, string, error) {
	members, err := r.object(path, raw)
	if err != nil {
		return nil, "", err
	}
	kind, ok := members[name]
	if !ok {
		return nil, "", &FieldError{join(path, name), "is missing"}
	}
	var s *string
	if err := json.Unmarshal(kind, &s); err != nil || s == nil {
		return nil, "", &FieldError{join(path, name), "must be a string"}
	}
	return members, *s, nil
}
