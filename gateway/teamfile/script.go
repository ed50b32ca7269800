package teamfile

import (
	"sort"

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
		b.validateScript(s, items)
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

// maxScriptProblems limits the mistakes that validateScript reports of one script.
const maxScriptProblems = 20

// validateScript validates a script whose steps are well-formed, and notes each problem at its step: the first step with which
// the script has that many problems.
func (b *builder) validateScript(s *script.Agent, items []*node) {
	problems := func(steps int) []error {
		err := (&script.Agent{Steps: s.Steps[:steps]}).Validate()
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			return joined.Unwrap()
		}
		return nil
	}
	all := problems(len(items))
	for i, problem := range all[:min(len(all), maxScriptProblems)] {
		step := sort.Search(len(items)-1, func(k int) bool { return len(problems(k+1)) > i })
		b.bad(items[step], "%v", problem)
	}
}
