package teamfile

import (
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/choose"
)

// fan reads an agent of type concurrent.
func (b *builder) fan(f *Fields, description string) groupchat.Agent {
	a := &groupchat.Concurrent{
		Description: description,
		Output:      orDefault(f.Take("output"), "both", groupchat.OutputHistory),
		Named:       f.Take("join").OneOf("text", "names") == "names",
	}
	around := speakers{hint: "nobody knows in which team this works; " +
		"write `said: user`, or describe the agent in that team"}
	if b.members != nil {
		around = speakers{names: slices.Sorted(maps.Keys(b.members)), known: true}
	}
	outer, outerWhen := b.supervisorHere, b.when
	b.supervisorHere, b.when = supervisorName, &selection{around, map[string]groupchat.Condition{}}
	a.Participants, _ = b.participants(f)
	when := b.when.conditions
	b.supervisorHere, b.when = outer, outerWhen
	if len(when) > 0 {
		a.Select = choose.When(when)
	}
	if n := f.Take("select"); n != nil {
		a.Select = b.selection(n, a.Select)
	}
	return a
}

// A selection has the conditions under which the participants of an agent of type concurrent work.
type selection struct {
	speakers
	conditions map[string]groupchat.Condition
}

// selection reads how a model chooses among the participants that the conditions leave.
func (b *builder) selection(n *Value, among groupchat.Selector) groupchat.Selector {
	f := n.Fields("select", "")
	defer f.End()
	return choose.ByModel(choose.Options{
		Model:        b.model(f.Take("model"), f.v),
		Instructions: f.Take("instructions").Text(),
		Sees:         f.Take("sees").sees(),
		Most:         f.Take("most").Count(1),
		Retries:      f.Take("retries").retries(),
		Among:        among,
	})
}

// selected reads the condition under which a participant works.
func (b *builder) selected(n *Value, name string) {
	switch {
	case n == nil:
	case b.when == nil:
		n.Bad("only a participant of type concurrent works by a condition; in a groupchat a rule has one: " +
			"`manager: { type: rules, rules: [ { when: …, speaker: … } ] }`")
	default:
		b.when.conditions[name] = b.condition(n, b.when.speakers)
	}
}
