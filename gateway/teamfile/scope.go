package teamfile

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// scope reads which state a participant works on: the shared one, or one of its own.
func (b *builder) scope(f *fields) groupchat.Scoping {
	at := f.take("scope")
	kind := b.oneOf(at, "shared", string(groupchat.ScopeIsolated), string(groupchat.ScopeMapped))
	in, computed := b.inputs(f.take("inputs"))
	s := groupchat.Scoping{Mapping: state.Mapping{In: in, Out: b.outputs(f.take("outputs"))}, Inputs: computed}
	switch {
	case kind == "shared" || kind == "":
		if f.has("inputs", "outputs") {
			b.bad(f.at, "inputs and outputs need a state of its own; add `scope: mapped`")
		}
	case kind == string(groupchat.ScopeIsolated) && f.has("outputs"):
		b.bad(at, "nothing leaves an isolated state; write `scope: mapped`, or remove the outputs")
	case kind == string(groupchat.ScopeMapped) && !f.has("inputs", "outputs"):
		b.bad(at, "a mapped state needs inputs or outputs; add them, or write `scope: isolated`")
	case len(s.Mapping.In)+len(s.Mapping.Out)+len(s.Inputs) > 0:
		s.Kind = groupchat.ScopeMapped
	default:
		s.Kind = groupchat.ScopeIsolated
	}
	return s
}

// inputs reads a mapping from names in a participant's own state to pointers into the chat's, or to texts with variables.
func (b *builder) inputs(n *node) (in map[string]string, computed map[string]func(groupchat.View) (any, error)) {
	in = map[string]string{}
	keys, values := b.pairs(n, "inputs")
	for i, key := range keys {
		name := strings.TrimPrefix(key.text, "/")
		if name == "" || strings.ContainsAny(name, "/~") {
			b.bad(key, "an input becomes a member of the own state; write `name: /pointer/into/the/chats/state`")
		}
		if v := values[i]; v.kind != scalarNode || !strings.Contains(v.text, "{{") {
			in[name] = b.pointer(v)
		} else if _, p := b.templated(v); p != nil {
			computed = with(computed, name, p.Value)
		}
	}
	return in, computed
}

// with returns m with a further value.
func with[V any](m map[string]V, key string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[key] = value
	return m
}

// outputs reads a mapping from pointers into a participant's own state to pointers into the chat's. The slash at the beginning of the
// former may be left out.
func (b *builder) outputs(n *node) map[string]string {
	out := map[string]string{}
	keys, values := b.pairs(n, "outputs")
	for i, key := range keys {
		from := key.text
		if !strings.HasPrefix(from, "/") {
			from = "/" + from
		}
		b.checkPointer(key, from)
		out[from] = b.pointer(values[i])
	}
	return out
}

// A wrapping has the options of the agents that are put around a participant's own.
type wrapping struct {
	sub    groupchat.SubOptions
	review *groupchat.ReviewOptions
}

// wrapping reads the keys of a participant that need an agent around its own.
func (b *builder) wrapping(f *fields) wrapping {
	var w wrapping
	switch b.oneOf(f.take("output"), "both", string(groupchat.OutputDirect), string(groupchat.OutputHistory), string(groupchat.OutputNone)) {
	case string(groupchat.OutputDirect):
		w.sub.Output = groupchat.OutputDirect
	case string(groupchat.OutputHistory):
		w.sub.Output = groupchat.OutputHistory
	case string(groupchat.OutputNone):
		w.sub.Output = groupchat.OutputNone
	}
	w.sub.Result = b.pointer(f.take("result"))
	w.sub.Prompt = b.participantPrompt(f.take("prompt"))
	w.sub.OnAsk = b.onAsk(f.take("on_ask"))
	w.review = b.review(f.take("review"))
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
func (b *builder) review(n *node) *groupchat.ReviewOptions {
	if n == nil {
		return nil
	}
	if n.kind != mappingNode {
		if on := b.flag(n); on == nil || !*on {
			return nil
		}
		return &groupchat.ReviewOptions{}
	}
	f := b.fields(n, "review")
	message, computed := b.computed(f.take("message"))
	o := &groupchat.ReviewOptions{
		Message:     message,
		MessageOf:   computed,
		Instruction: b.text(f.take("instruction")),
		TTL:         b.duration(f.take("ttl")),
	}
	f.end()
	return o
}

// A presetAnswer answers a question in place of a person.
type presetAnswer struct {
	key   string
	value json.RawMessage
	from  string // a pointer of the participant's state, if there is no value
}

// onAsk reads the answers to questions that no person is asked.
func (b *builder) onAsk(n *node) func(context.Context, *groupchat.Turn, groupchat.Asked) (groupchat.Answer, bool, error) {
	if n == nil {
		return nil
	}
	var answers []presetAnswer
	for _, item := range b.list(n, "on_ask") {
		f := b.fields(item, "an answer")
		a := presetAnswer{key: b.text(f.need("key", "name the question it answers"))}
		value, from := f.raw("answer"), f.take("from")
		f.end()
		switch {
		case item.kind != mappingNode:
		case (value == nil) == (from == nil):
			b.bad(item, "an answer is one of answer and from; write `{ key: size, answer: M }` or `{ key: size, from: /size }`")
		case value != nil:
			a.value = b.json(value)
		default:
			a.from = b.pointer(from)
		}
		answers = append(answers, a)
	}
	return func(_ context.Context, t *groupchat.Turn, q groupchat.Asked) (groupchat.Answer, bool, error) {
		for _, a := range answers {
			if a.key == q.Key {
				payload, ok := a.payload(t.State(), q.Schema)
				return groupchat.Answer{Payload: payload}, ok, nil
			}
		}
		return groupchat.Answer{}, false, nil
	}
}

// payload returns the answer in the form that the question's schema demands. It reports false if there is none; then a person is asked.
func (a presetAnswer) payload(s state.Reader, schema json.RawMessage) (json.RawMessage, bool) {
	value := a.value
	if a.from != "" {
		raw, ok := s.Raw(a.from)
		if !ok || !state.Filled(raw) {
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
