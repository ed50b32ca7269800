package a2ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// refsOf are the components that a component names: in child and children always, and in the members that its schema
// marks with the formats componentRef and componentRefList, also inside of lists of objects. An unmarked text is data.
func refsOf(members map[string]json.RawMessage, schema Component) []ref {
	refs := single(members["child"], "child")
	refs = append(refs, several(members["children"], "children")...)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if name != "child" && name != "children" && members[name] != nil {
			refs = append(refs, markedRefs(members[name], schema.Properties[name], name)...)
		}
	}
	return refs
}

// markedRefs are the references in a member, as the schema of it marks them.
func markedRefs(value, schema json.RawMessage, path string) []ref {
	var s struct {
		Format string `json:"format"`
		Items  struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"items"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	switch s.Format {
	case "componentRef":
		return single(value, path)
	case "componentRefList":
		return several(value, path)
	}
	if len(s.Items.Properties) == 0 {
		return nil
	}
	var items []map[string]json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return nil
	}
	var refs []ref
	for i, item := range items {
		for _, name := range slices.Sorted(maps.Keys(s.Items.Properties)) {
			var inner struct {
				Format string `json:"format"`
			}
			if json.Unmarshal(s.Items.Properties[name], &inner) != nil {
				continue
			}
			at := fmt.Sprintf("%s[%d].%s", path, i, name)
			switch inner.Format {
			case "componentRef":
				refs = append(refs, single(item[name], at)...)
			case "componentRefList":
				refs = append(refs, several(item[name], at)...)
			}
		}
	}
	return refs
}

// single is a reference: an id, or a template {"componentId": id, "path": ...} that is repeated over a list.
func single(value json.RawMessage, path string) []ref {
	if id := text(value); id != "" {
		return []ref{{path, id}}
	}
	if len(value) == 0 || value[0] != '{' {
		return nil
	}
	var template struct {
		ComponentID string `json:"componentId"`
	}
	if json.Unmarshal(value, &template) != nil || template.ComponentID == "" {
		return nil
	}
	return []ref{{path, template.ComponentID}}
}

// several are the references of a list, or of one template.
func several(value json.RawMessage, path string) []ref {
	if len(value) == 0 || value[0] != '[' {
		return single(value, path)
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil
	}
	var refs []ref
	for i, item := range list {
		refs = append(refs, single(item, fmt.Sprintf("%s[%d]", path, i))...)
	}
	return refs
}
