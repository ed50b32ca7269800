package teamfile

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// scope reads which state a participant works on: the shared one, or a separate one.
func (b *builder) scope(f *Fields) groupchat.Scoping {
	at := f.Take("scope")
	kind := orDefault(at, "shared", groupchat.ScopeIsolated, groupchat.ScopeMapped)
	in, computed := b.inputs(f.Take("inputs"))
	s := groupchat.Scoping{Mapping: document.Mapping{In: in, Out: outputs(f.Take("outputs"))}, Inputs: computed}
	switch {
	case kind == groupchat.ScopeShared:
		if f.has("inputs", "outputs") {
			f.v.Bad("inputs and outputs need a state of its own; add `scope: mapped`")
		}
	case kind == groupchat.ScopeIsolated && f.has("outputs"):
		at.Bad("nothing leaves an isolated state; write `scope: mapped`, or remove the outputs")
	case kind == groupchat.ScopeMapped && !f.has("inputs", "outputs"):
		at.Bad("a mapped state needs inputs or outputs; add them, or write `scope: isolated`")
	case len(s.Mapping.In)+len(s.Mapping.Out)+len(s.Inputs) > 0:
		s.Kind = groupchat.ScopeMapped
	default:
		s.Kind = groupchat.ScopeIsolated
	}
	return s
}

// inputs reads a mapping from names in a participant's state to pointers into the chat's, or to texts with variables.
func (b *builder) inputs(n *Value) (in map[string]string, computed map[string]func(groupchat.View) (any, error)) {
	in = map[string]string{}
	keys, values := n.Pairs("inputs")
	for i, key := range keys {
		name := strings.TrimPrefix(key.text, "/")
		if name == "" || strings.ContainsAny(name, "/~") {
			key.Bad("an input becomes a member of the own state; write `name: /pointer/into/the/chats/state`")
		}
		if v := values[i]; v.kind != scalarNode || !strings.Contains(v.text, "{{") {
			in[name] = v.pointer()
		} else if _, p := b.templated(v); p != nil {
			if computed == nil {
				computed = map[string]func(groupchat.View) (any, error){}
			}
			computed[name] = p.Value
		}
	}
	return in, computed
}

// outputs reads a mapping from pointers into a participant's state to pointers into the chat's. The slash at the
// beginning of the former is optional.
func outputs(n *Value) map[string]string {
	out := map[string]string{}
	keys, values := n.Pairs("outputs")
	for i, key := range keys {
		from := "/" + strings.TrimPrefix(key.text, "/")
		key.checkPointer(from)
		out[from] = values[i].pointer()
	}
	return out
}

// A wrapping has the options of the agents that are put around a participant's agent.
type wrapping struct {
	sub    groupchat.SubOptions
	review *groupchat.ReviewOptions
}

// wrapping reads the keys of a participant that need an agent around its agent.
func (b *builder) wrapping(f *Fields) (w wrapping) {
	w.sub.Output = orDefault(f.Take("output"), "both",
		groupchat.OutputDirect, groupchat.OutputHistory, groupchat.OutputNone)
	w.sub.Result = f.Take("result").pointer()
	w.sub.Prompt = b.participantPrompt(f.Take("prompt"))
	w.sub.OnAsk = onAsk(f.Take("on_ask"))
	w.review = b.review(f.Take("review"))
	return w
}

// apply puts the agents that w describes around the agent of p.
func (w wrapping) apply(p *groupchat.Participant) {
	if w.sub.Output != groupchat.OutputBoth || w.sub.Result != "" || w.sub.OnAsk != nil || w.sub.Prompt != nil {
		if w.sub.Result != "" {
			// The result is written to the chat's state, so the participant's own is made inside of the Sub.
			w.sub.State, p.Scope = p.Scope, groupchat.Scoping{}
			if p.Writes != nil {
				p.Writes = append(p.Writes, w.sub.Result)
			}
		}
		p.Agent = groupchat.Sub(p.Agent, w.sub)
	}
	if w.review != nil {
		p.Agent = groupchat.Review(p.Agent, *w.review)
	}
}

// review reads on, off, or the options of a review.
func (b *builder) review(n *Value) *groupchat.ReviewOptions {
	f, on := n.switched("review", "")
	if !on {
		return nil
	}
	defer f.End()
	message, computed := b.computed(f.Take("message"))
	return &groupchat.ReviewOptions{
		Message:     message,
		MessageOf:   computed,
		Instruction: f.Take("instruction").Text(),
		TTL:         f.Take("ttl").duration(),
	}
}

// A presetAnswer answers a question without a person.
type presetAnswer struct {
	key   string
	value json.RawMessage
	from  string // a pointer into the participant's state, if there is no value
}

// onAsk reads the answers to questions that no person is asked.
func onAsk(n *Value) func(context.Context, *groupchat.Turn, groupchat.Asked) (ask.Answer, bool, error) {
	if n == nil {
		return nil
	}
	var answers []presetAnswer
	for _, item := range n.List("on_ask") {
		f := item.Fields("an answer", "")
		key := f.Need("key", "name the question it answers").Text()
		value, from := f.Any("answer"), f.Take("from")
		f.End()
		if (value == nil) == (from == nil) {
			item.Bad("an answer is one of answer and from; " +
				"write `{ key: size, answer: M }` or `{ key: size, from: /size }`")
		}
		answers = append(answers, presetAnswer{key: key, value: value.JSON(), from: from.pointer()})
	}
	return func(_ context.Context, t *groupchat.Turn, q groupchat.Asked) (ask.Answer, bool, error) {
		for _, a := range answers {
			if a.key == q.Key {
				payload, ok := a.payload(t.State(), q.Schema)
				return ask.Answer{Payload: payload}, ok, nil
			}
		}
		return ask.Answer{}, false, nil
	}
}

// payload returns the answer in the form that the question's schema demands. It reports false if there is none; then a
// person is asked.
func (a presetAnswer) payload(s document.Reader, schema json.RawMessage) (json.RawMessage, bool) {
	value := a.value
	if a.from != "" {
		raw, ok := s.Raw(a.from)
		if !ok || !document.Filled(raw) {
			return nil, false
		}
		value = raw
	}
	if state.ValidateAnswer(schema, value) == nil {
		return value, true
	}
	form, err := json.Marshal(map[string]json.RawMessage{"value": value})
	if err != nil || state.ValidateAnswer(schema, form) != nil {
		return nil, false
	}
	return form, true
}
