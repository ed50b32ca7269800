package teamfile

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
)

// script reads an agent of type script.
func (b *builder) script(f *fields, description string) groupchat.Agent {
	s := &script.Agent{Description: description}
	steps := f.need("steps", "list at least one, such as `- say: \"Hello.\"`")
	items := b.list(steps, "steps")
	if steps != nil && steps.kind == listNode && len(items) == 0 {
		b.bad(steps, "there are no steps; list at least one, such as `- say: \"Hello.\"`")
	}
	before := len(b.problems)
	for _, item := range items {
		s.Steps = append(s.Steps, b.step(item))
	}
	if len(items) > 0 && len(b.problems) == before {
		b.problemsOfSteps(items, steps, func(n int) error { return (&script.Agent{Steps: s.Steps[:n]}).Validate() })
	}
	return s
}

// step reads a step, which does one thing.
func (b *builder) step(n *node) script.Step {
	var s script.Step
	f := b.fields(n, "a step")
	if n.kind == mappingNode && len(n.keys) != 1 {
		b.bad(n, "a step does one thing; write each as a `- ` line of its own")
	}
	if v := f.take("say"); v != nil {
		before := len(b.problems)
		if s.Say = b.text(v); s.Say == "" && len(b.problems) == before {
			b.bad(v, "nothing to say; write a text, or remove the step")
		}
	}
	if v := f.take("ask"); v != nil {
		ask := b.ask(v)
		s.Ask = &ask
	}
	if v := f.take("ask_many"); v != nil {
		s.AskMany = []script.Ask{}
		for _, item := range b.list(v, "ask_many") {
			s.AskMany = append(s.AskMany, b.ask(item))
		}
	}
	if v := f.take("set"); v != nil {
		s.Set = b.set(v)
	}
	if v := f.take("tool"); v != nil {
		s.Tool = b.scriptTool(v)
	}
	if v := f.take("call"); v != nil {
		s.Call = b.call(v)
	}
	if v := f.take("when"); v != nil {
		s.When = b.whenStep(v)
	}
	if v := f.take("each"); v != nil {
		s.Each = b.each(v)
	}
	s.Sleep = b.duration(f.take("sleep"))
	if v := f.take("fail"); v != nil {
		fail := b.fields(v, "fail")
		s.Fail = &script.Fail{Code: b.text(fail.take("code")), Message: b.text(fail.take("message"))}
		fail.end()
	}
	f.end()
	return s
}

func (b *builder) ask(n *node) script.Ask {
	f := b.fields(n, "a question")
	a := script.Ask{
		Key:     b.text(f.need("key", "name it, so that later steps can write ${answers.<key>}")),
		Message: b.text(f.need("message", "say what is asked")),
		TTL:     b.duration(f.take("ttl")),
	}
	if options := f.take("options"); options != nil {
		a.Options = []any{}
		for _, item := range b.list(options, "options") {
			a.Options = append(a.Options, b.value(item))
		}
	}
	if value := f.take("value"); value != nil {
		if a.Value = b.value(value); value.kind != mappingNode {
			b.bad(value, "value has more members of the card for the page; write `value: { name: … }`")
		}
	}
	if schema := f.take("schema"); schema != nil {
		if raw := b.schema(schema); raw != nil {
			a.Schema = raw
		}
	}
	f.end()
	return a
}

func (b *builder) set(n *node) *script.Set {
	f := b.fields(n, "set")
	s := &script.Set{Path: b.pointer(f.need("path", "say where in the state: `path: /order`"))}
	value := f.raw("value") // it may be null
	if value == nil && n.kind == mappingNode {
		b.bad(n, "set needs value; write `value: null` to set nothing")
	}
	s.Value = b.value(value)
	if on := b.flag(f.take("merge")); on != nil {
		s.Merge = *on
	}
	switch raw, err := json.Marshal(s.Value); {
	case strings.Contains(s.Path, "${"):
		b.written.unknown = true
	case err == nil && !bytes.Contains(raw, []byte("${")):
		b.wrote(s.Path, schemaOfValue(raw))
	default:
		b.wrote(s.Path, nil)
	}
	f.end()
	return s
}

func (b *builder) scriptTool(n *node) *script.Tool {
	f := b.fields(n, "tool")
	t := &script.Tool{Name: b.text(f.need("name", "name a tool of the frontend"))}
	if arguments := f.take("arguments"); arguments != nil {
		if arguments.kind != mappingNode {
			b.bad(arguments, "arguments are a mapping; write `arguments: { name: value }`")
		}
		t.Arguments = b.value(arguments)
	}
	f.end()
	return t
}
