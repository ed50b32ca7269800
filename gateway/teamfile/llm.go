package teamfile

import (
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// llm reads an agent of type llm.
func (b *builder) llm(f *fields, description string) groupchat.Agent {
	model := b.model(f.take("model"), f.at)
	instructions, prepare := b.instructions(f.take("instructions"))
	a := &groupchat.LLM{
		Description: description,
		Model:       model,
		Sees:        b.sees(f.take("sees")),
		MaxSteps:    b.count(f.take("max_steps"), 1),
		ToolTimeout: b.duration(f.take("tool_timeout")),
		Output:      b.output(f),
		History:     b.history(f.take("history")),
		MaxResult:   b.maxResult(f.take("max_result")),
	}
	a.Instructions, a.Prepare = instructions, prepare
	if o := a.Output; o != nil {
		b.wrote(o.Store, o.Schema)
	}
	if on := b.flag(f.take("frontend_tools")); on != nil {
		a.NoFrontendTools = !*on
	}
	if a.ToolTimeout == 0 {
		a.ToolTimeout = b.toolTimeout
	}
	before := len(b.problems)
	designers := b.tools(f, a)
	b.predictions(f, a, len(b.problems) == before)
	b.serverTexts(f, a)
	return b.surfaces(f, a, designers)
}

// output reads the schema of an agent's last reply and the keys that depend on it. Nil means that there is no schema.
func (b *builder) output(f *fields) *groupchat.LLMOutput {
	schema, store, say, strict := f.take("schema"), f.take("store"), f.take("say"), f.take("strict")
	o := &groupchat.LLMOutput{Store: b.pointer(store)}
	if on := b.flag(say); on != nil {
		o.Say = *on
	}
	if on := b.flag(strict); on != nil {
		o.Strict = *on
	}
	if schema == nil {
		for _, n := range []*node{store, say, strict} {
			if n != nil {
				b.bad(n, "this is about replies that are JSON and needs a schema; add `schema: { … }`, or keep a participant's words with `result: /pointer`")
			}
		}
		return nil
	}
	if schema.kind != mappingNode {
		b.bad(schema, "a JSON Schema is a mapping; write `schema: { type: object, properties: { … } }`")
		return nil
	}
	before := len(b.problems)
	if o.Schema = b.json(schema); len(b.problems) == before && state.CheckSchema(o.Schema) != nil {
		b.bad(schema, "not a JSON Schema that replies can be checked with; see json-schema.org")
	}
	return o
}

// sees reads which parts of the state a model is told: a list of pointers, or all.
func (b *builder) sees(n *node) []string {
	if n != nil && n.kind == scalarNode && n.text == "all" {
		return []string{""}
	}
	return b.pointers(n, "sees")
}
