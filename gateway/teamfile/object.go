package teamfile

import "encoding/json"

// inOrder is value with objects whose members are in the file's order.
func (r *reader) inOrder(n *node) any {
	switch {
	case n != nil && n.kind == listNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = r.inOrder(item)
		}
		return list
	case n != nil && n.kind == mappingNode:
		o := make(object, len(n.items))
		for i, key := range n.keys {
			o[i] = field{key.text, r.inOrder(n.items[i])}
		}
		return o
	default:
		return r.value(n)
	}
}

// An object is one of JSON whose members have an order.
type object []field

type field struct {
	name  string
	value any
}

// MarshalJSON writes the object.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range o {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
