package teamfile

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// JSON reads any value, as JSON; nil if v is absent. The members of objects stay in the file's order: a form shows the
// fields of a schema in the order that its author gave them.
func (v *Value) JSON() json.RawMessage {
	if v == nil {
		return nil
	}
	return v.appendJSON(nil)
}

func (v *Value) appendJSON(b []byte) []byte {
	separate := func(i int) {
		if i > 0 {
			b = append(b, ',')
		}
	}
	switch v.kind {
	case listNode:
		b = append(b, '[')
		for i, item := range v.items {
			separate(i)
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case mappingNode:
		b = append(b, '{')
		for i, item := range v.items {
			separate(i)
			b = append(append(b, jsonText(v.keys[i].text)...), ':')
			b = item.appendJSON(b)
		}
		return append(b, '}')
	default:
		return append(b, v.scalarJSON()...)
	}
}

// scalarJSON returns a scalar as JSON. Numbers keep their spelling if it is valid there.
func (v *Value) scalarJSON() []byte {
	s, expanded := v.expand()
	number := v.tag == "!!int" || v.tag == "!!float"
	switch {
	case (number || expanded && v.plain) && json.Valid([]byte(s)):
		return []byte(s) // an expanded text is read as if it were written in the file
	case v.tag == "!!null":
		return []byte("null")
	case v.tag == "!!bool":
		return strconv.AppendBool(nil, strings.EqualFold(s, "true"))
	case !number:
		return jsonText(s)
	}
	if i, err := strconv.ParseInt(s, 0, 64); err == nil {
		return strconv.AppendInt(nil, i, 10)
	}
	f, err := strconv.ParseFloat(strings.TrimPrefix(s, "+"), 64)
	raw, invalid := json.Marshal(f)
	if err != nil || invalid != nil {
		v.Bad("not a number that JSON has; write it in decimal, or put it in quotes to make it a text")
		return []byte("null")
	}
	return raw
}

// jsonText returns a text as JSON.
func jsonText(s string) []byte {
	raw, _ := json.Marshal(s) // a text can be encoded
	return raw
}

// value reads any value: texts, booleans, [json.Number], lists and maps; nil if v is absent.
func (v *Value) value() (value any) {
	if v == nil {
		return nil
	}
	decode := json.NewDecoder(bytes.NewReader(v.JSON()))
	decode.UseNumber()
	_ = decode.Decode(&value) // it is JSON
	return value
}
