package state

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/state/document"
)

// FitQuestion returns payload in the form in which it answers a question, as admit takes it. It does what [FitAnswer]
// does, and numbers that are those of the question to a client that reads them as float64 get the question's spelling:
// those of options, of the schema's values, and of the arguments of a call. Nil means that it answers in no form.
func FitQuestion(i agui.Interrupt, payload json.RawMessage) json.RawMessage {
	schema, err := compileAnswers(i.ResponseSchema)
	if err != nil {
		return nil
	}
	return schema.fit(i, payload)
}

// fit is [FitQuestion] for a question with this schema.
func (s *Schema) fit(i agui.Interrupt, payload json.RawMessage) json.RawMessage {
	if payload = Canonical(payload); payload == nil {
		return nil
	}
	for _, form := range spellings(i.ResponseSchema, payload) {
		if form = respellAnswer(i, form); form != nil && s.Check(form) == nil {
			return form
		}
	}
	return nil
}

// IndexOption is the index of the option that value is, or -1. Of options that a client cannot tell apart it is the one
// with the same spelling, if no such client writes that.
func IndexOption(options []json.RawMessage, value json.RawMessage) int {
	v, ok := decode(Canonical(value))
	list := make([]any, len(options))
	for i, raw := range options {
		list[i], _ = decode(Canonical(raw))
	}
	if !ok {
		return -1
	}
	i, _ := indexSame(list, v)
	return i
}

// indexSame is the index of the element of list that v is, or -1. Unclear says that it may be one of several.
func indexSame(list []any, v any) (index int, unclear bool) {
	index, exact, safe := -1, -1, true
	for i, one := range list {
		if !document.SameValue(v, one) {
			continue
		}
		if exact < 0 && jsonpatch.Identical(v, one) {
			exact = i
		}
		if index >= 0 && !jsonpatch.Identical(list[index], one) {
			unclear = true
		}
		if index < 0 {
			index = i
		}
		safe = safe && SafeNumbers(jsonpatch.Render(one))
	}
	switch {
	case exact >= 0 && (!unclear || safe || !bytes.Equal(asFloats(v), jsonpatch.Render(v))):
		return exact, false
	case unclear && !safe:
		return -1, true
	}
	return index, false
}

// asFloats is v as a client writes it that reads numbers as float64.
func asFloats(v any) []byte {
	var read any
	if json.Unmarshal(jsonpatch.Render(v), &read) != nil {
		return nil // a number is beyond a float64
	}
	raw, _ := agui.Marshal(read) // it was JSON
	return raw
}

// SafeNumbers reports whether a client that reads the numbers of a JSON value as float64, as JavaScript does, shows
// them as they are.
func SafeNumbers(raw json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return true
		}
		n, ok := token.(json.Number)
		if !ok {
			continue
		}
		f, err := n.Float64()
		if err != nil || f == 0 && bytes.ContainsAny([]byte(n), "123456789") || len(n) > 400 {
			return false
		}
		text, _ := json.Marshal(f) // it is finite
		exact, _ := new(big.Rat).SetString(string(n))
		if written, ok := new(big.Rat).SetString(string(text)); !ok || exact == nil || exact.Cmp(written) != 0 {
			return false
		}
	}
}

// respellAnswer returns payload, an answer to a question, with numbers spelled as the question has them. Nil means that
// it is unclear which of its values one is.
func respellAnswer(i agui.Interrupt, payload json.RawMessage) json.RawMessage {
	v, _ := decode(payload)
	var card struct {
		Options   json.RawMessage `json:"options"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(i.Metadata["value"], &card) // a card of another shape has neither
	schema, _ := decode(i.ResponseSchema)
	r := respelling{root: schema, left: maxRespelled}
	if options, _ := decode(card.Options); options != nil {
		schema = map[string]any{"allOf": []any{schema, map[string]any{"enum": options}}}
	}
	v, ok := r.by(schema, v, document.MaxDepth)
	if !ok {
		return nil
	}
	if members, isObject := v.(map[string]any); isObject && members["editedArgs"] != nil {
		if asked, ok := decode(card.Arguments); ok {
			members["editedArgs"] = document.Respell(members["editedArgs"], asked)
		}
	}
	return jsonpatch.Render(v)
}

// maxRespelled is how many parts of a schema are looked at for one answer. References could make them many.
const maxRespelled = 10_000

// A respelling gives an answer the spellings of its question's schema.
type respelling struct {
	root any // what references of the schema begin at
	left int // how many parts may still be looked at
}

// by returns v with the spellings that the enum and const of a schema have, and whether it is clear which of them it
// has.
func (r *respelling) by(schema, v any, depth int) (any, bool) {
	keywords, _ := schema.(map[string]any)
	if r.left--; keywords == nil || depth == 0 || r.left < 0 {
		return v, true
	}
	values, _ := keywords["enum"].([]any)
	if one, ok := keywords["const"]; ok {
		values = append(slices.Clip(values), one)
	}
	i, unclear := indexSame(values, v)
	switch {
	case unclear:
		return v, false
	case i >= 0:
		return jsonpatch.Clone(values[i]), true
	}
	clear := true
	next := func(part any, v any) any {
		v, ok := r.by(part, v, depth-1)
		clear = clear && ok
		return v
	}
	all, _ := keywords["allOf"].([]any)
	anyOf, _ := keywords["anyOf"].([]any)
	oneOf, _ := keywords["oneOf"].([]any)
	for _, part := range slices.Concat(all, anyOf, oneOf, []any{r.referenced(keywords)}) {
		v = next(part, v)
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := keywords["properties"].(map[string]any)
		for _, name := range jsonpatch.SortedKeys(properties) {
			if member, ok := v[name]; ok {
				v[name] = next(properties[name], member)
			}
		}
	case []any:
		for i := range v {
			v[i] = next(keywords["items"], v[i])
		}
	}
	return v, clear
}

// referenced returns the part of the schema that a $ref within it names; nil if there is none.
func (r *respelling) referenced(keywords map[string]any) any {
	ref, _ := keywords["$ref"].(string)
	pointer, local := strings.CutPrefix(ref, "#")
	path, err := jsonpatch.ParsePointer(pointer)
	if !local || err != nil {
		return nil
	}
	part, _ := jsonpatch.Find(r.root, path)
	return part
}
