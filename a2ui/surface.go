package a2ui

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// split sorts operations by the surface that they are about, in the order in which surfaces first appear.
func split(operations []Operation) (surfaces []string, of map[string][]Operation) {
	of = map[string][]Operation{}
	for _, o := range operations {
		id := o.Surface()
		if of[id] == nil {
			surfaces = append(surfaces, id)
		}
		of[id] = append(of[id], o)
	}
	return surfaces, of
}

// creates reports whether operations begin a surface.
func creates(operations []Operation) bool {
	return slices.ContainsFunc(operations, func(o Operation) bool { return o.CreateSurface != nil })
}

// merge returns the operations that draw what first and then more draw: one of each kind, and each component once. Of
// data, only what replaces all of it makes earlier data superfluous.
func merge(first, more []Operation) []Operation {
	var create, end *Operation
	var data []Operation
	var components []json.RawMessage
	place := map[string]int{}
	surface := ""
	for _, o := range slices.Concat(first, more) {
		surface = o.Surface()
		switch {
		case o.CreateSurface != nil:
			create, end, components, data, place = &o, nil, nil, nil, map[string]int{}
		case o.DeleteSurface != nil:
			end, components, data, place = &o, nil, nil, map[string]int{}
		case o.UpdateDataModel != nil:
			if p := o.UpdateDataModel.Path; p == "" || p == "/" {
				data = nil
			}
			data = append(data, o)
		case o.UpdateComponents != nil:
			for _, raw := range o.UpdateComponents.Components {
				components = putComponent(components, place, raw)
			}
		}
	}
	var list []Operation
	if create != nil {
		list = append(list, *create)
	}
	if components != nil {
		list = append(list, Operation{Version: Version,
			UpdateComponents: &UpdateComponents{SurfaceID: surface, Components: components}})
	}
	list = append(list, data...)
	if end != nil {
		list = append(list, *end)
	}
	return list
}

// putComponent adds a component to a list, or puts it in the place of the one with its id.
func putComponent(list []json.RawMessage, place map[string]int, raw json.RawMessage) []json.RawMessage {
	var c struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &c) != nil || c.ID == "" {
		return append(list, raw)
	}
	if i, there := place[c.ID]; there {
		list[i] = raw
		return list
	}
	place[c.ID] = len(list)
	return append(list, raw)
}

// problemsOf are why the operations of one surface cannot be drawn.
func problemsOf(operations []Operation, c Catalogue) []Problem {
	size, data, v := 0, 0, validation{catalogue: c}
	for _, o := range operations {
		switch {
		case o.UpdateDataModel != nil:
			data++
			size += len(o.UpdateDataModel.Value) + len(o.UpdateDataModel.Path)
			v.checkPath("updateDataModel", o.UpdateDataModel.Path)
			v.checkJSONCalls("data", o.UpdateDataModel.Value, true)
		case o.UpdateComponents != nil:
			if problems := ValidateComponents(o.UpdateComponents.Components, c); problems != nil {
				return problems
			}
		}
	}
	if size > MaxSurface || data > MaxOperations {
		return []Problem{{CodeTooLarge, "data", "the data of the surface are too large"}}
	}
	return v.problems
}

// Shown looks for the activity that shows a surface among messages, the newest first, and returns the id of its message
// and the operations that draw it.
func Shown(messages []agui.Message, surface string) (messageID string, operations []Operation) {
	for _, m := range slices.Backward(messages) {
		if m.Role != agui.RoleActivity || m.ActivityType != ActivityType {
			continue
		}
		raw, ok := m.Content.Object()
		if !ok {
			continue
		}
		list := ReadResult(string(raw))
		if i := slices.IndexFunc(list, func(o Operation) bool { return o.Surface() == surface }); i >= 0 {
			return m.ID, list
		}
	}
	return "", nil
}
