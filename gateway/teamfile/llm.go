package teamfile

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// llm reads an agent of type llm.
func (b *builder) llm(f *Fields, description string) groupchat.Agent {
	model := b.model(f.Take("model"), f.v)
	instructions, prepare := b.instructions(f.Take("instructions"))
	a := &groupchat.LLM{
		Description:     description,
		Model:           model,
		Instructions:    instructions,
		Prepare:         prepare,
		Sees:            f.Take("sees").sees(),
		MaxSteps:        f.Take("max_steps").Count(1),
		ToolTimeout:     f.Take("tool_timeout").duration(),
		Output:          output(f),
		History:         b.history(f.Take("history")),
		MaxResult:       f.Take("max_result").Count(leastResult),
		NoFrontendTools: f.Take("frontend_tools").off(),
	}
	if o := a.Output; o != nil {
		b.wrote(o.Store, o.Schema)
	}
	if a.ToolTimeout == 0 {
		a.ToolTimeout = b.o.ToolTimeout
	}
	before := len(b.problems)
	designers := b.tools(f, a)
	b.predictions(f, a, len(b.problems) == before)
	b.serverTexts(f, a)
	return b.surfaces(f, a, designers)
}

// leastResult is the smallest limit of a tool's result, in bytes.
const leastResult = 256

// output reads the schema of an agent's last reply and the keys that depend on it. It returns nil without a schema.
func output(f *Fields) *groupchat.LLMOutput {
	schema, store, say, strict := f.Take("schema"), f.Take("store"), f.Take("say"), f.Take("strict")
	o := &groupchat.LLMOutput{Store: store.pointer(), Say: say.on(), Strict: strict.on()}
	if schema != nil {
		o.Schema = schema.schema("a JSON Schema is a mapping; write `schema: { type: object, properties: { … } }`",
			"not a JSON Schema that replies can be checked with; see json-schema.org")
		return o
	}
	for _, v := range []*Value{store, say, strict} {
		v.Bad("this is about replies that are JSON and needs a schema; add `schema: { … }`, " +
			"or keep a participant's words with `result: /pointer`")
	}
	return nil
}

// schema reads a JSON Schema; nil if v is none, which is noted with one of the hints.
func (v *Value) schema(noMapping, noSchema string) json.RawMessage {
	if v == nil {
		return nil
	}
	if v.kind != mappingNode {
		v.fail("%s", noMapping)
		return nil
	}
	before := len(v.r.problems)
	raw := v.JSON()
	if len(v.r.problems) == before && state.CheckSchema(raw) != nil {
		v.Bad("%s", noSchema)
		return nil
	}
	return raw
}

// sees reads which parts of the state a model gets: a list of pointers, or all.
func (v *Value) sees() []string {
	if v.isScalar() && v.text == "all" {
		return []string{""}
	}
	return v.pointers("sees")
}
