package teamfile

import (
	"encoding/json"
	"sort"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
	"github.com/agui-gateway/gateway/state"
)

// writtenKeys are those by which an entry of tools is a tool that the file itself describes.
var writtenKeys = []string{"steps", "result", "parameters"}

// writtenTool reads a tool that the file describes: its steps, or what it always comes to.
func (b *builder) writtenTool(n *node, f *fields) groupchat.Tool {
	before := len(b.problems)
	o := script.ToolOptions{
		Name:        b.text(f.need("name", "name the tool, for the model")),
		Description: b.text(f.need("description", "tell the model what the tool is for")),
	}
	o.Parameters = b.parameters(f.take("parameters"))
	items := b.list(f.take("steps"), "steps")
	for _, item := range items {
		o.Steps = append(o.Steps, b.step(item))
	}
	if result := f.raw("result"); result != nil {
		o.Result = b.value(result)
	}
	switch {
	case len(b.problems) > before:
		return groupchat.Tool{}
	case len(items) == 0 && o.Result == nil:
		b.bad(n, "the tool does nothing; write `steps:`, or `result:` and what it always comes to")
		return groupchat.Tool{}
	}
	b.problemsOfSteps(items, n, func(steps int) error {
		some := o
		if some.Steps = o.Steps[:steps]; steps < len(items) {
			some.Result = nil
		}
		return some.Validate()
	})
	if len(b.problems) > before {
		return groupchat.Tool{}
	}
	t := script.NewTool(o)
	if err := t.Validate(); err != nil {
		b.bad(n, "%v", err)
	}
	return t
}

// maxScriptProblems limits the mistakes that are reported of one script.
const maxScriptProblems = 20

// problemsOfSteps notes each problem of a script whose steps are well-formed at its step: the first one with which the script
// has that many problems. What is wrong without any steps is noted at n.
func (b *builder) problemsOfSteps(items []*node, n *node, validate func(steps int) error) {
	problems := func(steps int) []error {
		err := validate(steps)
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			return flatten(joined.Unwrap())
		}
		if err != nil {
			return []error{err}
		}
		return nil
	}
	all := problems(len(items))
	for i, problem := range all[:min(len(all), maxScriptProblems)] {
		at := n
		if len(items) > 0 {
			at = items[sort.Search(len(items)-1, func(k int) bool { return len(problems(k+1)) > i })]
		}
		b.bad(at, "%v", problem)
	}
}

// flatten is a list of errors with those that are joined in it.
func flatten(errs []error) (all []error) {
	for _, err := range errs {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = append(all, flatten(joined.Unwrap())...)
		} else {
			all = append(all, err)
		}
	}
	return all
}

// whenStep reads a choice between steps.
func (b *builder) whenStep(n *node) *script.When {
	f := b.fields(n, "when")
	w := &script.When{}
	condition, value, equals := f.take("if"), f.take("value"), f.raw("equals")
	switch {
	case n.kind != mappingNode:
	case (condition == nil) == (value == nil), value != nil && equals == nil, condition != nil && equals != nil:
		b.bad(n, "when decides by a condition, `if: { present: /order }`, or by a value, `value: \"${answers.size}\", equals: L`")
	case condition != nil:
		w.If = b.condition(condition, speakers{nobody: "a script knows the words of the user only; write `said: user`"})
	default:
		w.Value, w.Equals = b.value(value), b.value(equals)
	}
	w.Then, w.Else = b.innerSteps(f.take("then"), "then"), b.innerSteps(f.take("else"), "else")
	f.end()
	return w
}

// each reads steps for the elements of a list.
func (b *builder) each(n *node) *script.Each {
	f := b.fields(n, "each")
	e := &script.Each{In: b.value(f.need("in", "say of which list: `in: \"${arguments.items}\"`"))}
	e.Do = b.innerSteps(f.need("do", "say what is done for each element: `do: [ … ]`"), "do")
	f.end()
	return e
}

// innerSteps reads steps that are in another one.
func (b *builder) innerSteps(n *node, what string) (steps []script.Step) {
	if b.stepDepth++; b.stepDepth > maxStepDepth {
		b.stepDepth--
		b.bad(n, "steps are nested deeper than %d; write them flatter", maxStepDepth)
		return nil
	}
	for _, item := range b.list(n, what) {
		steps = append(steps, b.step(item))
	}
	b.stepDepth--
	return steps
}

// maxStepDepth is how deep steps may be in each other.
const maxStepDepth = 8

// call reads a turn of another agent.
func (b *builder) call(n *node) *script.Call {
	f := b.fields(n, "call")
	reference := f.need("agent", "name an agent of this file, or a participant of this team")
	c := &script.Call{Query: b.text(f.take("query"))}
	f.end()
	if reference == nil {
		return c
	}
	p := b.participantOrAgent(reference, groupchat.ScopeShared)
	c.Name, c.Agent = b.text(reference), p.Agent
	return c
}

// parameters reads the JSON Schema of a tool's arguments.
func (b *builder) parameters(n *node) json.RawMessage {
	if n == nil {
		return nil
	}
	if n.kind != mappingNode {
		b.bad(n, "parameters are a JSON Schema; write `parameters: { type: object, properties: { city: { type: string } } }`")
		return nil
	}
	return b.schema(n)
}

// schema reads a JSON Schema.
func (b *builder) schema(n *node) json.RawMessage {
	before := len(b.problems)
	raw := b.json(n)
	if len(b.problems) == before && state.CheckSchema(raw) != nil {
		b.bad(n, "not a JSON Schema that values can be checked with; see json-schema.org")
		return nil
	}
	return raw
}
