package teamfile

import (
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
)

// fan reads an agent of type concurrent.
func (b *builder) fan(f *fields, description string) groupchat.Agent {
	a := &groupchat.Fan{Description: description}
	if b.oneOf(f.take("output"), "both", string(groupchat.OutputHistory)) == string(groupchat.OutputHistory) {
		a.Output = groupchat.OutputHistory
	}
	a.Named = b.oneOf(f.take("join"), "text", "names") == "names"
	around := speakers{nobody: "nobody knows in which team this works; write `said: user`, or describe the agent in that team"}
	if b.members != nil {
		around = speakers{names: slices.Sorted(maps.Keys(b.members)), known: true}
	}
	outer, outerWhen := b.supervisorHere, b.when
	b.supervisorHere, b.when = supervisorName, &selection{speakers: around, conditions: map[string]groupchat.Condition{}}
	a.Participants, _ = b.participants(f)
	when := b.when.conditions
	b.supervisorHere, b.when = outer, outerWhen
	if len(when) > 0 {
		a.Select = groupchat.SelectWhen(when)
	}
	if n := f.take("select"); n != nil {
		a.Select = b.selection(n, a.Select)
	}
	return a
}

// A selection has the conditions under which the participants of an agent of type concurrent work.
type selection struct {
	speakers
	conditions map[string]groupchat.Condition
}

// selection reads how a model chooses among those whom the conditions leave.
func (b *builder) selection(n *node, among groupchat.Selector) groupchat.Selector {
	f := b.fields(n, "select")
	o := groupchat.LLMSelectOptions{
		Model:        b.model(f.take("model"), f.at),
		Instructions: b.text(f.take("instructions")),
		Sees:         b.sees(f.take("sees")),
		Most:         b.count(f.take("most"), 1),
		Retries:      b.retries(f.take("retries")),
		Among:        among,
	}
	f.end()
	return groupchat.SelectBy(o)
}

// selected reads the condition under which a participant works.
func (b *builder) selected(n *node, name string) {
	switch {
	case n == nil:
	case b.when == nil:
		b.bad(n, "only a participant of type concurrent works by a condition; in a groupchat a rule has one: `manager: { type: rules, rules: [ { when: …, speaker: … } ] }`")
	default:
		b.when.conditions[name] = b.condition(n, b.when.speakers)
	}
}
