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

// mostPattern is how many bytes the pattern of a guardrail may have. RE2 takes time in the product of pattern and text.
const mostPattern = 4096

// hooks reads the hooks of an agent, or of all agents that are served: those written in Go that are named, and the guardrails.
func (b *builder) hooks(f *fields) []groupchat.Hooks {
	var all []groupchat.Hooks
	for _, item := range b.list(f.take("hooks"), "hooks") {
		before := len(b.problems)
		name, quotable := b.word(item)
		if len(b.problems) > before {
			continue
		}
		h, ok := b.namedHooks[name]
		switch {
		case ok:
			all = append(all, h)
		case len(b.namedHooks) == 0:
			b.bad(item, "this program has no hooks to name; a Go program puts its own into teamfile.Options.Hooks")
		case quotable:
			b.bad(item, "%q is no hook of this program; it has %s", name, choices(slices.Sorted(maps.Keys(b.namedHooks))))
		default:
			b.bad(item, "the value from the environment is no hook of this program; it has %s", choices(slices.Sorted(maps.Keys(b.namedHooks))))
		}
	}
	var rules []guard.Rule
	n := f.take("guardrails")
	before := len(b.problems)
	for _, item := range b.list(n, "guardrails") {
		if r := b.guardrail(item); r != nil {
			rules = append(rules, *r)
		}
	}
	if n == nil || len(b.problems) > before {
		return all
	}
	rails, err := guard.New(rules...)
	if err != nil {
		b.bad(n, "these guardrails cannot work: %s", err) // each was checked: not reached
		return all
	}
	return append(all, rails)
}

// guardrail reads one rule. Nil means that it has a mistake, which is noted.
func (b *builder) guardrail(n *node) *guard.Rule {
	before := len(b.problems)
	f := b.fields(n, "a guardrail")
	r := &guard.Rule{Name: fmt.Sprintf("%s:%d", b.file, n.line), On: b.places(f.need("on", "say where it looks: `on: input`, or `on: [ request, output ]`"))}
	b.lookedFor(f, r)
	b.guardrailAction(f, r)
	r.Hold = guard.Hold(b.oneOf(f.take("hold"), string(guard.HoldSentence), string(guard.HoldMessage)))
	r.Otherwise = guard.Otherwise(b.oneOf(f.take("otherwise"), string(guard.OtherwiseRefuse), string(guard.OtherwiseAllow)))
	f.end()
	if len(b.problems) > before {
		return nil
	}
	if err := r.Validate(); err != nil {
		b.bad(n, "this guardrail cannot work: %s", strings.ReplaceAll(err.Error(), "guard: ", ""))
		return nil
	}
	return r
}

// places reads where a rule looks: one place, or a list.
func (b *builder) places(n *node) []guard.Place {
	if n == nil {
		return nil
	}
	items := []*node{n}
	if n.kind == listNode {
		items = n.items
	}
	var words []string
	for _, p := range guard.Places() {
		words = append(words, string(p))
	}
	var list []guard.Place
	for _, item := range items {
		if p := b.oneOf(item, words...); p != "" {
			list = append(list, guard.Place(p))
		}
	}
	if len(items) == 0 {
		b.bad(n, "no place is named; write one of %s", choices(words))
	}
	return list
}

// lookedFor reads what a rule looks for: a pattern, detectors or a model's verdict.
func (b *builder) lookedFor(f *fields, r *guard.Rule) {
	match, window := f.take("match"), f.take("window")
	instructions, timeout, asked := f.take("instructions"), f.take("timeout"), f.take("model")
	r.Match = b.pattern(match)
	r.Window = b.count(window, 1)
	r.Detect = b.detectors(f.take("detect"), "detect")
	if instructions != nil {
		r.Ask = &guard.Judge{Model: b.model(asked, f.at), Instructions: b.text(instructions), Timeout: b.duration(timeout)}
	}
	for _, wrong := range []struct {
		n    *node
		is   bool
		text string
	}{
		{window, match == nil, "window is how many characters of a pattern's match are held back, and there is no `match: …`; remove it"},
		{timeout, instructions == nil, "timeout is how long a model is waited for, and none is asked; add `instructions: …`, which say what may pass"},
		{asked, instructions == nil, "the model has to be told what may pass; add `instructions: …`"},
	} {
		if wrong.n != nil && wrong.is {
			b.bad(wrong.n, "%s", wrong.text)
		}
	}
}

// pattern reads a regular expression; nil if n is nil or none.
func (b *builder) pattern(n *node) *regexp.Regexp {
	if n == nil {
		return nil
	}
	before := len(b.problems)
	text := b.text(n)
	if len(b.problems) > before {
		return nil
	}
	if len(text) > mostPattern || text == "" {
		b.bad(n, "a pattern has 1 to %d bytes; shorten it, or write several guardrails", mostPattern)
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		b.bad(n, "not a pattern that can be matched; write a regular expression of RE2 (github.com/google/re2/wiki/Syntax), which has no look-around and no back-references")
		return nil
	}
	if re.MatchString("") {
		b.bad(n, "the pattern matches the empty text, and so everything; say what it is to find")
		return nil
	}
	return re
}

// detectors reads the names of detectors.
func (b *builder) detectors(n *node, what string) []guard.Detector {
	var words []string
	for _, d := range guard.Detectors() {
		words = append(words, string(d))
	}
	var list []guard.Detector
	for _, item := range b.list(n, what) {
		if d := b.oneOf(item, words...); d != "" {
			list = append(list, guard.Detector(d))
		}
	}
	if n != nil && n.kind == listNode && len(n.items) == 0 {
		b.bad(n, "no detector is named; write one of %s", choices(words))
	}
	return list
}

// guardrailAction reads what a rule does: one of refuse, redact, replace, answer and tell. Without one it refuses.
func (b *builder) guardrailAction(f *fields, r *guard.Rule) {
	var chosen *node
	for _, a := range []guard.Action{guard.Refuse, guard.Redact, guard.Replace, guard.Answer, guard.Tell} {
		n := f.take(string(a))
		if n == nil {
			continue
		}
		if chosen != nil {
			b.bad(n, "a guardrail does one thing: refuse, redact, replace, answer or tell; remove the others")
			continue
		}
		chosen, r.Do = n, a
		switch {
		case a != guard.Redact:
			r.Say = b.text(n)
		case n.kind == listNode && len(r.Detect) > 0:
			b.bad(n, "detect names what is found; write `redact: on`, or move the names here and remove detect")
		case n.kind == listNode:
			r.Detect = b.detectors(n, "redact")
		case len(r.Detect) > 0:
			if on := b.flag(n); on != nil && !*on {
				b.bad(n, "what is found and not masked has to be refused or replaced; write `refuse: …`, or remove the guardrail")
			}
		case r.Match != nil:
			r.Mask = b.text(n)
		default:
			b.bad(n, "name what is masked, such as `redact: [ email, card ]`, or add `match: …` and write here what stands in its place")
		}
	}
}
