package teamfile

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// handoff reads a manager that lets each speaker choose the next one.
func handoff(f *Fields, c *candidates) func() groupchat.Manager {
	o := groupchat.HandoffOptions{
		Start:      c.participant(f.Need("start", "name the participant who speaks first")),
		Turns:      f.Take("turns").Count(1),
		TurnsEach:  f.Take("turns_each").Count(1),
		Autonomous: f.Take("autonomous").on(),
	}
	edges := f.Take("edges")
	if edges == nil {
		return groupchat.Handoff(o)
	}
	o.Edges = map[string][]string{}
	keys, values := edges.Pairs("edges")
	for i, key := range keys {
		from := c.participant(key)
		o.Edges[from] = []string{}
		for _, item := range values[i].List("whom a participant hands over to") {
			to := c.participant(item)
			if to == from && to != "" {
				item.Bad("nobody hands over to itself; name another")
			}
			o.Edges[from] = append(o.Edges[from], to)
		}
	}
	c.reportUnreached(o)
	return groupchat.Handoff(o)
}

// modelManager reads a manager that lets a model choose.
func (b *builder) modelManager(f *Fields, names []*Value) func() groupchat.Manager {
	model := b.model(f.Take("model"), f.v)
	instructions, prepare := b.instructions(f.Take("instructions"))
	return groupchat.LLMManager(groupchat.LLMManagerOptions{
		Model:        model,
		Instructions: instructions,
		Prepare:      prepare,
		Prompt:       prompt(f.Take("prompt")),
		Sees:         f.Take("sees").sees(),
		History:      b.history(f.Take("history")),
		Retries:      f.Take("retries").retries(),
		Fallback:     b.fallback(f.Take("fallback"), names),
	})
}

// prompt reads the description of a manager's task.
func prompt(n *Value) string {
	text := n.Text()
	if err := groupchat.CheckPrompt(text); err != nil {
		if _, expanded := n.expand(); expanded {
			n.fail("the prompt from the environment has a place in {{}} that there is not")
		}
		n.fail("%s", strings.TrimPrefix(err.Error(), "its "))
	}
	return text
}

// fallback reads the manager that decides if another one cannot. It speaks under the other's name.
func (b *builder) fallback(n *Value, names []*Value) func() groupchat.Manager {
	if n == nil {
		return nil
	}
	n = n.long("type")
	m := b.manager(n, names)
	for _, key := range (&Fields{v: n}).keysOf("name") {
		key.Bad("a fallback speaks under the name of the manager that it stands in for; remove this")
	}
	if kind := n.member("type"); kind != nil && kind.text == "plan" {
		kind.Bad("a manager that plans takes turns of its own, which a fallback cannot; choose another")
	}
	return m
}

// candidates checks the names of participants that a manager can choose.
type candidates struct {
	names   []*Value
	chosen  []string
	unknown bool // a name was not that of a participant
}

// choose reads the name of a participant, or done.
func (c *candidates) choose(n *Value) string { return c.name(n, groupchat.Done) }

// participant reads the name of a participant.
func (c *candidates) participant(n *Value) string { return c.name(n) }

// name reads the name of a participant, or one of the words in others.
func (c *candidates) name(n *Value, others ...string) string {
	if n == nil {
		return ""
	}
	name := n.Text()
	c.chosen = append(c.chosen, name)
	if slices.Contains(others, name) || hasName(c.names, name) {
		return name
	}
	if !slices.Contains(c.names, nil) {
		n.Bad("%s is no participant of this chat%s; name one, or add it to the participants", n.quoted(),
			n.guess(append(speakersOf(c.names).names, others...)))
	}
	c.unknown = true
	return name
}

// reportUnchosen notes the participants that the manager never chooses.
func (c *candidates) reportUnchosen() {
	c.report(c.chosen, "the manager never chooses this participant; let a rule or route name it, or remove it")
}

// reportUnreached notes the participants that no other one hands over to.
func (c *candidates) reportUnreached(o groupchat.HandoffOptions) {
	reached := []string{o.Start}
	for i := 0; i < len(reached); i++ {
		for _, to := range o.Edges[reached[i]] {
			if !slices.Contains(reached, to) {
				reached = append(reached, to)
			}
		}
	}
	c.report(reached, "nobody hands over to this participant; let an edge lead to it, or remove it")
}

// report notes a problem at each participant that is not in the list. It notes none if a name of the file is unknown:
// that name may be a misspelt one of theirs.
func (c *candidates) report(list []string, problem string) {
	for _, n := range c.names {
		if n != nil && !c.unknown && !slices.Contains(list, n.text) {
			n.Bad("%s", problem)
		}
	}
}
