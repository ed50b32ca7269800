package a2ui

import (
	"encoding/json"
)

// Version is the version of A2UI that is spoken.
const Version = "v0.9"

// The limits of surfaces. Larger ones are not drawn.
const (
	MaxComponents = 1000      // of a surface
	MaxOperations = 100       // of one result
	MaxSurface    = 256 << 10 // bytes of a surface: its components and its data, as JSON
	MaxCatalogue  = 128 << 10 // bytes of a catalogue, as JSON
	MaxAction     = 64 << 10  // bytes of what a person did in a surface, as JSON
	MaxDepth      = 64        // how deep the components of a surface, and the values in it, nest
)

// BasicCatalogue is the id of the catalogue that every renderer has.
const BasicCatalogue = "https://a2ui.org/specification/v0_9/basic_catalog.json"

// operationsKey is the member of a tool's result that holds operations, and of an activity's content.
const operationsKey = "a2ui_operations"

// An Operation is one message to a renderer. Exactly one member besides Version is set.
type Operation struct {
	Version          string            `json:"version"`
	CreateSurface    *CreateSurface    `json:"createSurface,omitempty"`
	UpdateComponents *UpdateComponents `json:"updateComponents,omitempty"`
	UpdateDataModel  *UpdateDataModel  `json:"updateDataModel,omitempty"`
	DeleteSurface    *DeleteSurface    `json:"deleteSurface,omitempty"`
}

// CreateSurface begins a surface with components of a catalogue.
type CreateSurface struct {
	SurfaceID string          `json:"surfaceId"`
	CatalogID string          `json:"catalogId"`
	Theme     json.RawMessage `json:"theme,omitempty"`
	// SendDataModel asks the page to send the data with actions.
	SendDataModel bool `json:"sendDataModel,omitempty"`
}

// UpdateComponents adds components to a surface, or replaces those with the same ids.
type UpdateComponents struct {
	SurfaceID  string            `json:"surfaceId"`
	Components []json.RawMessage `json:"components"`
}

// UpdateDataModel sets a value in the data of a surface. An empty path, and "/", mean all of the data.
type UpdateDataModel struct {
	SurfaceID string          `json:"surfaceId"`
	Path      string          `json:"path,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
}

// DeleteSurface ends a surface.
type DeleteSurface struct {
	SurfaceID string `json:"surfaceId"`
}

// Surface returns the id of the surface that o is about; empty if it is about none.
func (o *Operation) Surface() string {
	switch {
	case o.CreateSurface != nil:
		return o.CreateSurface.SurfaceID
	case o.UpdateComponents != nil:
		return o.UpdateComponents.SurfaceID
	case o.UpdateDataModel != nil:
		return o.UpdateDataModel.SurfaceID
	case o.DeleteSurface != nil:
		return o.DeleteSurface.SurfaceID
	}
	return ""
}

// A Design is what a model writes to have a surface drawn: the arguments of the tool that renders. It has no catalogue,
// because a model must not name one that the page does not have.
type Design struct {
	SurfaceID  string            `json:"surfaceId"`
	Components []json.RawMessage `json:"components"`
	Data       json.RawMessage   `json:"data,omitempty"` // an object
}

// Operations are what draws the design with components of a catalogue; an empty id means the basic one.
func (d Design) Operations(catalogue string) []Operation {
	if catalogue == "" {
		catalogue = BasicCatalogue
	}
	list := []Operation{
		{Version: Version, CreateSurface: &CreateSurface{SurfaceID: d.SurfaceID, CatalogID: catalogue}},
		{Version: Version, UpdateComponents: &UpdateComponents{SurfaceID: d.SurfaceID, Components: d.Components}},
	}
	if len(d.Data) > 0 {
		list = append(list, Operation{Version: Version,
			UpdateDataModel: &UpdateDataModel{SurfaceID: d.SurfaceID, Path: "/", Value: d.Data}})
	}
	return list
}

// Result is the text of a tool's result that holds operations.
func Result(operations []Operation) string {
	raw, _ := json.Marshal(map[string]any{operationsKey: operations}) // the parts of operations are JSON already
	return string(raw)
}

// ReadResult returns the operations that the result of a tool holds: JSON of the form {"a2ui_operations": [...]}, which
// some tools write into a JSON string once more. It returns nil for any other text. It skips elements that are no
// operations, and returns at most [MaxOperations].
func ReadResult(text string) []Operation { return readResult(text, MaxOperations) }

func readResult(text string, most int) []Operation {
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = inner
	}
	var held struct {
		Operations []json.RawMessage `json:"a2ui_operations"`
	}
	if json.Unmarshal([]byte(text), &held) != nil || held.Operations == nil {
		return nil
	}
	list := []Operation{}
	for _, raw := range held.Operations {
		var o Operation
		if json.Unmarshal(raw, &o) == nil && o.Surface() != "" {
			list = append(list, o)
		}
		if len(list) == most {
			break
		}
	}
	return list
}
