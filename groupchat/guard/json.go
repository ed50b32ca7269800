package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/agui-gateway/gateway/agui"
)

// editJSON edits every text in raw, and every number with digits that match; it returns raw itself if nothing changes,
// so that the spelling stays. Invalid JSON is edited as one text.
func editJSON(raw string, edit editorFunc) (string, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(raw)))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil || d.Decode(new(any)) != io.EOF {
		return edit(raw)
	}
	changed := false
	value, err := editValue(value, edit, &changed)
	if err != nil || !changed {
		return raw, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "", err
	}
	return string(bytes.TrimRight(out.Bytes(), "\n")), nil
}

func editValue(value any, edit editorFunc, changed *bool) (any, error) {
	text := func(s string, same any) (any, error) {
		edited, err := edit(s)
		if err != nil || edited == s {
			return same, err
		}
		*changed = true
		return edited, nil
	}
	var err error
	switch v := value.(type) {
	case string:
		return text(v, v)
	case json.Number:
		return text(v.String(), v)
	case []any:
		for i := range v {
			if v[i], err = editValue(v[i], edit, changed); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = editValue(v[name], edit, changed); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// editRaw is editJSON for a value of an event; nil stays nil.
func editRaw(raw json.RawMessage, edit editorFunc) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	edited, err := editJSON(string(raw), edit)
	if err != nil || edited == string(raw) {
		return raw, err
	}
	if !json.Valid([]byte(edited)) {
		return nil, errors.New("guard: an event is no JSON any more")
	}
	return json.RawMessage(edited), nil
}

// editContent edits the texts of a message or result.
func editContent(c agui.Content, edit editorFunc) (agui.Content, error) {
	if parts, ok := c.Parts(); ok {
		edited := make([]agui.Part, len(parts))
		for i, p := range parts {
			var err error
			if p.Text, err = edit(p.Text); err != nil {
				return c, err
			}
			edited[i] = p
		}
		return agui.PartsContent(edited...), nil
	}
	if object, ok := c.Object(); ok {
		raw, err := editRaw(object, edit)
		return agui.ObjectContent(raw), err
	}
	if c.IsZero() {
		return c, nil
	}
	text, err := editJSON(c.Text(), edit) // results often are JSON
	return agui.TextContent(text), err
}
