package teamtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A rewrite is a step with the new lines of its expectation, indented below `expect:`.
type rewrite struct {
	step  *step
	lines []string
}

// write replaces the expectations in the file. Everything else in it stays, also comments outside of expectations.
func (p *player) write() error {
	lines := strings.Split(string(p.data), "\n")
	for _, r := range slices.Backward(p.rewritten) {
		first, column := r.step.at.Place()
		dash := column - 3 // the index of the dash of "- expect"
		head := lines[first-1]
		if dash < 0 || strings.TrimSpace(head[:dash]) != "" || !strings.HasPrefix(head[dash:], "- ") {
			return errors.New("expectations are rewritten only where each step is a line that begins with `- `; " +
				"write them so")
		}
		last := first
		for end := first; end < len(lines); end++ {
			text := strings.TrimLeft(lines[end], " ")
			if text == "" || text == "\r" {
				continue
			}
			if len(lines[end])-len(text) <= dash {
				break
			}
			last = end + 1
		}
		block := []string{strings.Repeat(" ", dash) + "- expect:"}
		for _, l := range r.lines {
			block = append(block, strings.Repeat(" ", dash+4)+l)
		}
		lines = slices.Replace(lines, first-1, last, block...)
	}
	data := []byte(strings.Join(lines, "\n"))
	if again := parse(p.file, data); again.doc.Err() != nil || len(again.steps) != len(p.steps) {
		return errors.New("the expectations could not be rewritten in this file; write each as a block of lines")
	}
	if bytes.Equal(data, p.data) {
		return nil
	}
	return os.WriteFile(p.file, data, 0o644)
}

// updated returns an expectation that h meets, in lines of YAML: with the keys that it had, or, if it was empty, all
// that are not empty. A pattern that holds stays.
func (e *expectation) updated(h *heard) []string {
	var out []string
	all := e.empty
	words := h.words()
	if e.speaker != nil || e.says != nil {
		out = append(out, e.updatedSays(words)...)
	}
	if e.said != nil || all && len(words) > 0 {
		out = append(out, list("says", len(words), func(i int) string {
			speaker := flow("speaker", quote(words[i].speaker)) + ", "
			if len(e.said) == len(words) && e.said[i].holds(words[i]) {
				if text := e.said[i].text; text != nil && text.exact == nil {
					return speaker + text.yaml()
				}
			}
			return speaker + flow("text", quote(words[i].text))
		})...)
	}
	if e.calls != nil || all && len(h.calls) > 0 {
		out = append(out, list("calls", len(h.calls), func(i int) string {
			c := h.calls[i]
			pairs := []string{"name", quote(c.name)}
			if e.calls == nil || i >= len(e.calls) || e.calls[i].arguments != nil {
				pairs = append(pairs, "arguments", inFlow(json.RawMessage(c.arguments)))
			}
			return flow(pairs...)
		})...)
	}
	out = append(out, e.updatedState(h)...)
	if e.asks != nil || all && len(h.asks) > 0 {
		out = append(out, list("asks", len(h.asks), func(i int) string {
			a := h.asks[i]
			pairs := []string{"key", quote(a.key)}
			if a.tool != "" {
				pairs = []string{"tool", quote(a.tool)}
			}
			pairs = append(pairs, "message", quote(a.message))
			if len(a.options) > 0 && string(a.options) != "null" {
				pairs = append(pairs, "options", inFlow(a.options))
			}
			return flow(pairs...)
		})...)
	}
	if e.ends != "" || all {
		ends := h.ends()
		if h.code != "" {
			ends = "{ error: " + h.code + " }"
		}
		out = append(out, "ends: "+ends)
	}
	return out
}

// updatedSays returns the lines of speaker and says.
func (e *expectation) updatedSays(words []*utterance) []string {
	by := words
	if e.speaker != nil {
		by = slices.DeleteFunc(slices.Clone(words), func(u *utterance) bool { return u.speaker != e.speaker.Text() })
		if len(by) == 0 {
			by = words
		}
	}
	if len(by) == 0 {
		return []string{"says: []"}
	}
	var out []string
	last := by[len(by)-1]
	if e.speaker != nil {
		out = append(out, "speaker: "+quote(last.speaker))
	}
	switch {
	case e.says == nil || e.says.text == nil:
	case slices.ContainsFunc(by, func(u *utterance) bool { return e.says.text.holds(u.text) }):
		out = append(out, "says: "+e.says.text.yamlValue())
	default:
		out = append(out, "says: "+quote(last.text))
	}
	return out
}

func (e *expectation) updatedState(h *heard) []string {
	var out []string
	for _, s := range e.state {
		var text string
		if s.text != nil && json.Unmarshal(at(h.state, s.pointer), &text) == nil && s.text.holds(text) {
			out = append(out, fmt.Sprintf("  %s: %s", plainKey(s.pointer), s.text.yamlValue()))
			continue
		}
		out = append(out, fmt.Sprintf("  %s: %s", plainKey(s.pointer), inFlow(at(h.state, s.pointer))))
	}
	if e.empty {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(h.state, &members) // it is an object
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !same(members[name], at(h.before, document.Pointer(name))) {
				out = append(out, fmt.Sprintf("  %s: %s", plainKey(document.Pointer(name)), inFlow(members[name])))
			}
		}
	}
	if len(out) > 0 {
		out = append([]string{"state:"}, out...)
	}
	return out
}

// plain matches keys that need no quotes.
var plain = regexp.MustCompile(`^/[A-Za-z0-9_/~-]+$`)

func plainKey(pointer string) string {
	if plain.MatchString(pointer) {
		return pointer
	}
	return quote(pointer)
}

// list returns a key with a list of flow mappings, a line each.
func list(key string, n int, item func(i int) string) []string {
	if n == 0 {
		return []string{key + ": []"}
	}
	out := []string{key + ":"}
	for i := range n {
		out = append(out, "  - { "+item(i)+" }")
	}
	return out
}

// flow joins keys and values to the inside of a flow mapping.
func flow(pairs ...string) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		parts = append(parts, pairs[i]+": "+pairs[i+1])
	}
	return strings.Join(parts, ", ")
}

// inFlow returns a value in one line: JSON is YAML.
func inFlow(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "null"
	}
	return string(state.Canonical(raw))
}

// yaml returns the expected text as a key and a value.
func (w *textIs) yaml() string {
	switch {
	case w.matches != nil:
		return flow("matches", quote(w.matches.String()))
	case w.contains != nil:
		return flow("contains", quote(*w.contains))
	default:
		return flow("text", quote(*w.exact))
	}
}

// yamlValue returns the expected text as a value.
func (w *textIs) yamlValue() string {
	if w.exact != nil {
		return quote(*w.exact)
	}
	return "{ " + w.yaml() + " }"
}
