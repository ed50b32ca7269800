package teamtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A mismatch is an expectation that a run does not meet.
type mismatch struct {
	at        *teamfile.Value
	text      string // in one sentence
	want, got string // line by line; empty if they add nothing
}

// check compares the result of a run with an expectation.
func (e *expectation) check(h *heard) []mismatch {
	var all []mismatch
	add := func(at *teamfile.Value, want, got, format string, args ...any) {
		all = append(all, mismatch{at, fmt.Sprintf(format, args...), want, got})
	}
	if e.empty {
		add(e.at, "", h.String(), "nothing is expected here yet; `-update` fills in what came")
		return all
	}
	e.checkSaid(h, add)
	e.checkCalls(h, add)
	for _, s := range e.state {
		s.check(h.state, add)
	}
	e.checkAsks(h, add)
	if want := strings.TrimSpace(e.ends + " " + e.code); e.ends != "" {
		got := h.ends()
		if e.code != "" && h.code != "" {
			got += " " + h.code
		}
		if got != want {
			if h.code != "" && e.code == "" {
				got += " " + h.code
			}
			add(e.endsAt, want, got, "%s", "the run ends otherwise"+h.why())
		}
	}
	return all
}

// An adder notes a mismatch.
type adder = func(at *teamfile.Value, want, got, format string, args ...any)

func (e *expectation) checkSaid(h *heard, add adder) {
	words := h.words()
	lines := func(list []*utterance) string {
		var all []string
		for _, u := range list {
			all = append(all, u.speaker+": "+u.text)
		}
		return strings.Join(all, "\n")
	}
	if speaker := e.speaker.Text(); e.speaker != nil {
		by := slices.DeleteFunc(slices.Clone(words), func(u *utterance) bool { return u.speaker != speaker })
		if len(by) == 0 {
			add(e.speaker, speaker+": …", lines(words), "%s says nothing", speaker)
			return
		}
		words = by
	}
	says := func(u *utterance) bool { return e.says.text.holds(u.text) }
	if e.says != nil && e.says.text != nil && !slices.ContainsFunc(words, says) {
		text := "nobody says this"
		if e.speaker != nil {
			text = e.speaker.Text() + " does not say this"
		}
		add(e.says.at, withSpeaker(e.says.speaker, e.says.text), lines(words), "%s", text)
	}
	if e.said == nil {
		return
	}
	holds := len(e.said) == len(words)
	var want []string
	for i, s := range e.said {
		want = append(want, withSpeaker(s.speaker, s.text))
		holds = holds && s.holds(words[i])
	}
	if !holds {
		for i, s := range e.said { // matching messages are shown alike on both sides
			if i < len(words) && s.holds(words[i]) {
				want[i] = words[i].speaker + ": " + words[i].text
			}
		}
		add(e.saidAt, strings.Join(want, "\n"), lines(words), "other things are said")
	}
}

func (s *saying) holds(u *utterance) bool {
	return (s.speaker == "" || s.speaker == u.speaker) && s.text.holds(u.text)
}

func withSpeaker(speaker string, text *textIs) string {
	said := text.String()
	if text != nil && text.exact != nil {
		said = *text.exact
	}
	if speaker == "" {
		return said
	}
	return speaker + ": " + said
}

func (e *expectation) checkCalls(h *heard, add adder) {
	if e.calls == nil {
		return
	}
	var got, want []string
	for _, c := range h.calls {
		got = append(got, c.String())
	}
	holds := len(e.calls) == len(h.calls)
	for i, w := range e.calls {
		if i < len(h.calls) && w.holds(h.calls[i]) {
			want = append(want, h.calls[i].String())
			continue
		}
		holds = false
		want = append(want, w.String())
	}
	if !holds {
		add(e.callsAt, strings.Join(want, "\n"), strings.Join(got, "\n"), "other tools are called")
	}
}

func (w *callOf) holds(c *madeCall) bool {
	switch {
	case w.name != c.name, w.arguments != nil && !same(w.arguments, json.RawMessage(c.arguments)):
		return false
	case w.result == nil:
		return true
	default:
		return c.result != nil && w.result.holds(*c.result)
	}
}

// String returns the call for people.
func (w *callOf) String() string {
	s := strings.TrimSpace(w.name + " " + string(state.Canonical(w.arguments)))
	if w.result != nil {
		s += " → " + w.result.String()
	}
	return s
}

// String returns the call for people.
func (c *madeCall) String() string {
	s := strings.TrimSpace(c.name + " " + string(state.Canonical(json.RawMessage(c.arguments))))
	if c.result != nil {
		s += " → " + quote(*c.result)
	}
	return s
}

func (s *stateAt) check(doc json.RawMessage, add adder) {
	got := at(doc, s.pointer)
	if s.text != nil {
		var text string
		if json.Unmarshal(got, &text) != nil || !s.text.holds(text) {
			add(s.at, s.text.String(), indented(got), "the state at %s is something else", s.pointer)
		}
		return
	}
	if !same(s.value, got) {
		add(s.at, indented(s.value), indented(got), "the state at %s is something else", s.pointer)
	}
}

// at returns the value of a document at a pointer; null if there is none.
func at(doc json.RawMessage, pointer string) json.RawMessage {
	d, err := document.New(doc, document.Options{})
	var value json.RawMessage
	if err != nil {
		return json.RawMessage("null")
	}
	if there, err := d.Get(pointer, &value); err != nil || !there {
		return json.RawMessage("null")
	}
	return value
}

func (e *expectation) checkAsks(h *heard, add adder) {
	if e.asks == nil {
		return
	}
	left := slices.Clone(h.asks)
	holds := len(e.asks) == len(left)
	for _, w := range e.asks {
		i := slices.IndexFunc(left, w.holds)
		if i < 0 {
			holds = false
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	if holds {
		return
	}
	var want, got []string
	for _, w := range e.asks {
		want = append(want, w.String())
	}
	for _, a := range h.asks {
		got = append(got, describeAsked(a, e.asks))
	}
	add(e.asksAt, strings.Join(want, "\n"), strings.Join(got, "\n"), "other questions are asked")
}

func (w *asking) holds(a *asked) bool {
	switch {
	case w.key != nil && *w.key != a.key, !w.message.holds(a.message),
		w.by != "" && w.by != a.by, w.tool != "" && w.tool != a.tool:
		return false
	default:
		return w.options == nil || same(w.options, a.options)
	}
}

// String returns the question for people.
func (w *asking) String() string {
	var parts []string
	if w.key != nil {
		parts = append(parts, "key "+*w.key)
	}
	if w.tool != "" {
		parts = append(parts, "tool "+w.tool)
	}
	if w.by != "" {
		parts = append(parts, "by "+w.by)
	}
	if w.message != nil {
		parts = append(parts, "message "+w.message.String())
	}
	if w.options != nil {
		parts = append(parts, "options "+string(state.Canonical(w.options)))
	}
	return strings.Join(parts, ", ")
}

// describeAsked returns a question for people, with the members that an expectation has.
func describeAsked(a *asked, wanted []*asking) string {
	shown := &asking{key: &a.key, message: &textIs{exact: &a.message}, by: a.by, tool: a.tool, options: a.options}
	some := func(has func(w *asking) bool) bool { return len(wanted) == 0 || slices.ContainsFunc(wanted, has) }
	if !some(func(w *asking) bool { return w.key != nil }) {
		shown.key = nil
	}
	if !some(func(w *asking) bool { return w.options != nil }) {
		shown.options = nil
	}
	if !some(func(w *asking) bool { return w.by != "" }) {
		shown.by = ""
	}
	return shown.String()
}

// indented returns a value over several lines, unless it is short.
func indented(raw json.RawMessage) string {
	var v any
	if len(raw) < 60 || json.Unmarshal(raw, &v) != nil {
		return string(state.Canonical(raw))
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// quote returns a text in quotes.
func quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a text can be encoded
	return strings.TrimSpace(b.String())
}

// diff returns the difference for people.
func (m mismatch) diff() string {
	if m.want == "" && m.got == "" {
		return ""
	}
	return modeltest.Diff(cmp.Or(m.want, "nothing"), cmp.Or(m.got, "nothing"))
}
