package teamfile

import (
	"encoding/json"
	"sort"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
)

// writtenKeys are the keys of an entry of tools that make it a tool of the file.
var writtenKeys = []string{"steps", "result", "parameters"}

// writtenTool reads a tool that the file describes: its steps, or a fixed result.
func (b *builder) writtenTool(n *Value, f *Fields) (t groupchat.Tool) {
	o := script.ToolOptions{
		Name:        f.Need("name", "name the tool, for the model").Text(),
		Description: f.Need("description", "tell the model what the tool is for").Text(),
	}
	before := len(b.problems)
	o.Parameters = parameters(f.Take("parameters"))
	items := f.Take("steps").List("steps")
	o.Steps = b.steps(items)
	o.Result = f.Any("result").value()
	switch {
	case len(b.problems) > before:
		return t
	case len(items) == 0 && o.Result == nil:
		n.Bad("the tool does nothing; write `steps:`, or `result:` and what it always comes to")
		return t
	}
	if !f.ok() { // the steps are checked all the same
		o.Name, o.Description = "tool", "A tool."
	}
	problemsOfSteps(items, n, func(steps int) error {
		some := o
		if some.Steps = o.Steps[:steps]; steps < len(items) {
			some.Result = nil
		}
		return some.Validate()
	})
	if !f.ok() {
		return t
	}
	t = script.NewTool(o)
	if err := t.Validate(); err != nil {
		n.Bad("%v", err)
	}
	return t
}

// maxScriptProblems limits the mistakes that are reported of one script.
const maxScriptProblems = 20

// problemsOfSteps notes each problem of a script with well-formed steps at its step: the first one with which the
// script has that many problems. Problems without any steps are noted at n.
func problemsOfSteps(items []*Value, n *Value, validate func(steps int) error) {
	all := joinedErrors(validate(len(items)))
	for i, problem := range all[:min(len(all), maxScriptProblems)] {
		at := n
		if len(items) > 0 {
			at = items[sort.Search(len(items)-1, func(k int) bool { return len(joinedErrors(validate(k+1))) > i })]
		}
		at.Bad("%v", problem)
	}
}

// joinedErrors returns the errors that are joined in err, at any depth.
func joinedErrors(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok:
		return []error{err}
	}
	for _, inner := range joined.Unwrap() {
		all = append(all, joinedErrors(inner)...)
	}
	return all
}

// parameters reads the JSON Schema of a tool's arguments.
func parameters(n *Value) json.RawMessage {
	return n.schema("parameters are a JSON Schema; write "+
		"`parameters: { type: object, properties: { city: { type: string } } }`", noValueSchema)
}

// noValueSchema is the problem with a value that is no JSON Schema.
const noValueSchema = "not a JSON Schema that values can be checked with; see json-schema.org"
