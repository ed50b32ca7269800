package teamfile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/guard"
)

// mostPattern limits the bytes of the pattern of a guardrail. RE2 takes time in the product of pattern and text.
const mostPattern = 4096

// hooks reads the hooks of an agent, or of all agents that are served: those of the program, and the guardrails.
func (b *builder) hooks(f *Fields) []groupchat.Hooks {
	var all []groupchat.Hooks
	for _, item := range f.Take("hooks").List("hooks") {
		h, ok := b.o.Hooks[item.Text()]
		switch {
		case ok:
			all = append(all, h)
		case len(b.o.Hooks) == 0:
			item.Bad("this program has no hooks to name; a Go program puts its own into teamfile.Options.Hooks")
		default:
			known := choices(slices.Sorted(maps.Keys(b.o.Hooks)))
			item.Bad("%s is no hook of this program; it has %s", item.quoted(), known)
		}
	}
	var rules []guard.Rule
	n := f.Take("guardrails")
	before := len(b.problems)
	for _, item := range n.List("guardrails") {
		if r := b.guardrail(item); r != nil {
			rules = append(rules, *r)
		}
	}
	if n == nil || len(b.problems) > before {
		return all
	}
	rails, err := guard.New(rules...)
	if err != nil {
		n.Bad("these guardrails cannot work: %s", err) // each was checked: not reached
		return all
	}
	return append(all, rails)
}

// guardrail reads one rule. It returns nil after a mistake, which is noted.
func (b *builder) guardrail(n *Value) *guard.Rule {
	f := n.Fields("a guardrail", "")
	on := f.Need("on", "say where it looks: `on: input`, or `on: [ request, output ]`")
	r := &guard.Rule{Name: fmt.Sprintf("%s:%d", b.file, n.line), On: places(on)}
	b.lookedFor(f, r)
	guardrailAction(f, r)
	r.Hold = oneOf(f.Take("hold"), guard.HoldSentence, guard.HoldMessage)
	r.Otherwise = oneOf(f.Take("otherwise"), guard.OtherwiseRefuse, guard.OtherwiseAllow)
	f.End()
	if !f.ok() {
		return nil
	}
	if err := r.Validate(); err != nil {
		n.Bad("this guardrail cannot work: %s", strings.ReplaceAll(err.Error(), "guard: ", ""))
		return nil
	}
	return r
}

// places reads where a rule looks: one place, or a list.
func places(n *Value) []guard.Place {
	if n != nil && !n.IsList() {
		return words([]*Value{n}, guard.Places())
	}
	return words(n.itemsOf("on", "no place is named; write one of "+choices(texts(guard.Places()))), guard.Places())
}

// detectors reads the names of detectors.
func detectors(n *Value, what string) []guard.Detector {
	items := n.itemsOf(what, "no detector is named; write one of "+choices(texts(guard.Detectors())))
	return words(items, guard.Detectors())
}

// words reads items that are words of a list.
func words[T ~string](items []*Value, known []T) (list []T) {
	for _, item := range items {
		if word := oneOf(item, known...); word != "" {
			list = append(list, word)
		}
	}
	return list
}

// lookedFor reads the pattern, the detectors or the model that a rule uses.
func (b *builder) lookedFor(f *Fields, r *guard.Rule) {
	match, window := f.Take("match"), f.Take("window")
	instructions, timeout, asked := f.Take("instructions"), f.Take("timeout"), f.Take("model")
	r.Match = match.guardPattern()
	r.Window = window.Count(1)
	r.Detect = detectors(f.Take("detect"), "detect")
	if match == nil {
		window.Bad("window is how many characters of a pattern's match are held back, and there is no `match: …`; " +
			"remove it")
	}
	if instructions == nil {
		timeout.Bad("timeout is how long a model is waited for, and none is asked; " +
			"add `instructions: …`, which say what may pass")
		asked.Bad("the model has to be told what may pass; add `instructions: …`")
		return
	}
	r.Ask = &guard.Judge{Model: b.model(asked, f.v), Instructions: instructions.Text(), Timeout: timeout.duration()}
}

// guardPattern reads a regular expression; nil if v is absent or none.
func (v *Value) guardPattern() *regexp.Regexp {
	if v == nil {
		return nil
	}
	text := v.Text()
	if len(text) > mostPattern || text == "" {
		v.fail("a pattern has 1 to %d bytes; shorten it, or write several guardrails", mostPattern)
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		v.fail("not a pattern that can be matched; write a regular expression of RE2 " +
			"(github.com/google/re2/wiki/Syntax), which has no look-around and no back-references")
		return nil
	}
	if re.MatchString("") {
		v.Bad("the pattern matches the empty text, and so everything; say what it is to find")
	}
	return re
}

// guardrailAction reads the action of a rule: one of refuse, redact, replace, answer and tell. The default is refuse.
func guardrailAction(f *Fields, r *guard.Rule) {
	var chosen *Value
	for _, a := range []guard.Action{guard.Refuse, guard.Redact, guard.Replace, guard.Answer, guard.Tell} {
		n := f.Take(string(a))
		if n == nil {
			continue
		}
		if chosen != nil {
			n.Bad("a guardrail does one thing: refuse, redact, replace, answer or tell; remove the others")
			continue
		}
		chosen, r.Do = n, a
		switch {
		case a != guard.Redact:
			r.Say = n.Text()
		case n.IsList() && len(r.Detect) > 0:
			n.Bad("detect names what is found; write `redact: on`, or move the names here and remove detect")
		case n.IsList():
			r.Detect = detectors(n, "redact")
		case len(r.Detect) > 0:
			if n.off() {
				n.Bad("what is found and not masked has to be refused or replaced; " +
					"write `refuse: …`, or remove the guardrail")
			}
		case r.Match != nil:
			r.Mask = n.Text()
		default:
			n.Bad("name what is masked, such as `redact: [ email, card ]`, or add `match: …` and write here " +
				"what stands in its place")
		}
	}
}
