package teamfile

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/script"
)

// script reads an agent of type script.
func (b *builder) script(f *Fields, description string) groupchat.Agent {
	s := &script.Agent{Description: description}
	steps := f.Need("steps", "list at least one, such as `- say: \"Hello.\"`")
	items := steps.itemsOf("steps", "there are no steps; list at least one, such as `- say: \"Hello.\"`")
	before := len(b.problems)
	s.Steps = b.steps(items)
	if len(items) > 0 && len(b.problems) == before {
		problemsOfSteps(items, steps, func(n int) error { return (&script.Agent{Steps: s.Steps[:n]}).Validate() })
	}
	return s
}

// steps reads a list of steps.
func (b *builder) steps(items []*Value) (steps []script.Step) {
	for _, item := range items {
		steps = append(steps, b.step(item))
	}
	return steps
}

// step reads a step, which does one thing.
func (b *builder) step(n *Value) (s script.Step) {
	f := n.Fields("a step", "")
	if len(n.keys) != 1 {
		n.Bad("a step does one thing; write each as a `- ` line of its own")
	}
	if v := f.Take("say"); v != nil {
		if s.Say = v.Text(); s.Say == "" {
			v.Bad("nothing to say; write a text, or remove the step")
		}
	}
	if v := f.Take("ask"); v != nil {
		ask := readAsk(v)
		s.Ask = &ask
	}
	if v := f.Take("ask_many"); v != nil {
		s.AskMany = []script.Ask{}
		for _, item := range v.List("ask_many") {
			s.AskMany = append(s.AskMany, readAsk(item))
		}
	}
	if v := f.Take("set"); v != nil {
		s.Set = b.set(v)
	}
	if v := f.Take("tool"); v != nil {
		s.Tool = scriptTool(v)
	}
	if v := f.Take("call"); v != nil {
		s.Call = b.call(v)
	}
	if v := f.Take("when"); v != nil {
		s.When = b.whenStep(v)
	}
	if v := f.Take("each"); v != nil {
		s.Each = b.each(v)
	}
	s.Sleep = f.Take("sleep").duration()
	if v := f.Take("fail"); v != nil {
		fail := v.Fields("fail", "")
		s.Fail = &script.Fail{Code: fail.Take("code").Text(), Message: fail.Take("message").Text()}
		fail.End()
	}
	f.End()
	return s
}

func readAsk(n *Value) script.Ask {
	f := n.Fields("a question", "")
	a := script.Ask{
		Key:     f.Need("key", "name it, so that later steps can write ${answers.<key>}").Text(),
		Message: f.Need("message", "say what is asked").Text(),
		TTL:     f.Take("ttl").duration(),
	}
	if options := f.Take("options"); options != nil {
		a.Options = []any{}
		for _, item := range options.List("options") {
			a.Options = append(a.Options, item.value())
		}
	}
	if value := f.Take("value"); value != nil {
		if a.Value = value.value(); value.kind != mappingNode {
			value.Bad("value has more members of the card for the page; write `value: { name: … }`")
		}
	}
	if raw := f.Take("schema").schema(noValueSchema, noValueSchema); raw != nil {
		a.Schema = raw
	}
	f.End()
	return a
}

func (b *builder) set(n *Value) *script.Set {
	f := n.Fields("set", "")
	s := &script.Set{Path: f.Need("path", "say where in the state: `path: /order`").pointer()}
	value := f.Any("value") // it may be null
	if value == nil {
		n.Bad("set needs value; write `value: null` to set nothing")
	}
	s.Value, s.Merge = value.value(), f.Take("merge").on()
	switch raw, err := json.Marshal(s.Value); {
	case strings.Contains(s.Path, "${"):
		b.written.unknown = true
	case err == nil && !bytes.Contains(raw, []byte("${")):
		b.wrote(s.Path, schemaOfValue(raw))
	default:
		b.wrote(s.Path, nil)
	}
	f.End()
	return s
}

func scriptTool(n *Value) *script.Tool {
	f := n.Fields("tool", "")
	t := &script.Tool{Name: f.Need("name", "name a tool of the frontend").Text()}
	if arguments := f.Take("arguments"); arguments != nil {
		if arguments.kind != mappingNode {
			arguments.Bad("arguments are a mapping; write `arguments: { name: value }`")
		}
		t.Arguments = arguments.value()
	}
	f.End()
	return t
}

// whenStep reads a choice between steps.
func (b *builder) whenStep(n *Value) *script.When {
	f := n.Fields("when", "")
	w := &script.When{}
	condition, value, equals := f.Take("if"), f.Take("value"), f.Any("equals")
	switch {
	case (condition == nil) == (value == nil), value != nil && equals == nil, condition != nil && equals != nil:
		n.Bad("when decides by a condition, `if: { present: /order }`, or by a value, " +
			"`value: \"${answers.size}\", equals: L`")
	case condition != nil:
		w.If = b.condition(condition, speakers{hint: "a script knows the words of the user only; write `said: user`"})
	default:
		w.Value, w.Equals = value.value(), equals.value()
	}
	w.Then, w.Else = b.innerSteps(f.Take("then"), "then"), b.innerSteps(f.Take("else"), "else")
	f.End()
	return w
}

// each reads steps for the elements of a list.
func (b *builder) each(n *Value) *script.Each {
	f := n.Fields("each", "")
	e := &script.Each{In: f.Need("in", "say of which list: `in: \"${arguments.items}\"`").value()}
	e.Do = b.innerSteps(f.Need("do", "say what is done for each element: `do: [ … ]`"), "do")
	f.End()
	return e
}

// maxStepDepth limits how deep steps are nested.
const maxStepDepth = 8

// innerSteps reads steps inside another one.
func (b *builder) innerSteps(n *Value, what string) []script.Step {
	b.stepDepth++
	defer func() { b.stepDepth-- }()
	if b.stepDepth > maxStepDepth {
		n.Bad("steps are nested deeper than %d; write them flatter", maxStepDepth)
		return nil
	}
	return b.steps(n.List(what))
}

// call reads a turn of another agent.
func (b *builder) call(n *Value) *script.Call {
	f := n.Fields("call", "")
	reference := f.Need("agent", "name an agent of this file, or a participant of this team")
	c := &script.Call{Query: f.Take("query").Text()}
	f.End()
	if reference == nil {
		return c
	}
	p := b.participantOrAgent(reference, groupchat.ScopeShared)
	c.Name, c.Agent = reference.Text(), p.Agent
	return c
}
