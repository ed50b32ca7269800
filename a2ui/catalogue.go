package a2ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// CatalogueContext describes the entry of a run's context by which a page says which components it can draw. It is the
// one that CopilotKit's provider and middleware write, letter by letter.
const CatalogueContext = "A2UI Component Schema — available components for generating UI surfaces. Use these " +
	"component names and properties when creating A2UI operations."

// A Catalogue says which components there are. The zero value knows none, and anything is one then.
type Catalogue struct {
	ID         string
	Components map[string]Component
	// Functions are those that its components may call beside those of the basic catalogue.
	Functions []string
	raw       json.RawMessage
}

// A Component says what a component has: JSON Schema, of which only the members that matter here are read.
type Component struct {
	Required   []string                   `json:"required"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// ErrCatalogue is the cause of every error of [ReadCatalogue].
var ErrCatalogue = errors.New("a2ui: no catalogue")

// ReadCatalogue reads a catalogue of the inline form of A2UI 0.9: {"catalogId": ..., "components": {NAME: JSON
// Schema}}.
func ReadCatalogue(raw json.RawMessage) (Catalogue, error) {
	if len(raw) > MaxCatalogue {
		return Catalogue{}, fmt.Errorf("%w: it has %d bytes, more than %d", ErrCatalogue, len(raw), MaxCatalogue)
	}
	var written struct {
		ID         string                     `json:"catalogId"`
		Components map[string]json.RawMessage `json:"components"`
		Functions  json.RawMessage            `json:"functions"`
	}
	if json.Unmarshal(raw, &written) != nil {
		return Catalogue{}, fmt.Errorf("%w: it is not an object with catalogId and components", ErrCatalogue)
	}
	c := Catalogue{ID: written.ID, Components: map[string]Component{}, Functions: functionNames(written.Functions),
		raw: raw}
	for name, schema := range written.Components {
		component, err := readComponent(schema)
		if err != nil {
			return Catalogue{}, fmt.Errorf("%w: the component %q has no schema", ErrCatalogue, name)
		}
		c.Components[name] = component
	}
	return c, nil
}

// functionNames returns the names of functions: of a list of objects with names, or of an object.
func functionNames(raw json.RawMessage) []string {
	var named map[string]json.RawMessage
	if json.Unmarshal(raw, &named) == nil {
		return slices.Sorted(maps.Keys(named))
	}
	var list []struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(raw, &list) // anything else names none
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names
}

// readComponent reads what a component has, also where its schema is put together of others with allOf.
func readComponent(raw json.RawMessage) (Component, error) {
	var schema struct {
		Component
		AllOf []json.RawMessage `json:"allOf"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		return Component{}, err
	}
	c := schema.Component
	for _, part := range schema.AllOf {
		var inner Component
		if json.Unmarshal(part, &inner) != nil {
			continue
		}
		c.Required = append(c.Required, inner.Required...)
		for name, property := range inner.Properties {
			if c.Properties == nil {
				c.Properties = map[string]json.RawMessage{}
			}
			c.Properties[name] = property
		}
	}
	return c, nil
}

// JSON is the catalogue as it was written; nil for one that was not read.
func (c Catalogue) JSON() json.RawMessage { return c.raw }

// OfContext returns the catalogue that a page sends with a run, or the zero value if it is missing, invalid or larger
// than [MaxCatalogue].
func OfContext(context []agui.Context) Catalogue {
	for _, entry := range context {
		if entry.Description != CatalogueContext {
			continue
		}
		if c, err := ReadCatalogue(json.RawMessage(entry.Value)); err == nil {
			return c
		}
	}
	return Catalogue{}
}
