package teamfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// The bounds of one condition.
const (
	maxConditionDepth = 8    // and, or and not within each other
	maxConditions     = 100  // in one condition, itself included
	maxPattern        = 1000 // bytes
)

// userWord is who has said something in conditions on the message.
const userWord = "user"

// speakers are the names that a condition may give for who has said something.
type speakers struct {
	names []string
	known bool // false: a name could not be read, or nobody knows which there are
	// nobody says why there are none.
	nobody string
}

// speakersOf are the participants with names, of which one may be nil.
func speakersOf(names []*node) speakers {
	s := speakers{known: !slices.Contains(names, nil)}
	for _, n := range names {
		if n != nil {
			s.names = append(s.names, n.text)
		}
	}
	return s
}

// A conditionReader reads one condition with all that are in it.
type conditionReader struct {
	*builder
	speakers
	count int
}

// condition reads a condition on the state and on what was said by who. Nil means that n is none, which is noted.
func (b *builder) condition(n *node, who speakers) groupchat.Condition {
	c := &conditionReader{builder: b, speakers: who}
	holds := c.read(n, 1)
	if c.count > maxConditions {
		b.bad(n, "more than %d conditions in one; split it into several rules", maxConditions)
	}
	return holds
}

// conditionKeys are the kinds of conditions.
var conditionKeys = []string{"missing", "present", "equals", "greater", "less", "contains", "matches", "speaker", "and", "or", "not"}

func (c *conditionReader) read(n *node, depth int) groupchat.Condition {
	c.count++
	if depth > maxConditionDepth {
		c.bad(n, "conditions are nested deeper than %d; write them flatter", maxConditionDepth)
		return nil
	}
	if c.count > maxConditions {
		return nil // it is noted once
	}
	f := c.fields(n, "a condition")
	var key string
	var value *node
	given := 0
	for _, k := range conditionKeys {
		if one := f.take(k); one != nil {
			key, value = k, one
			given++
		}
	}
	f.end()
	switch {
	case n.kind != mappingNode:
		return nil
	case given != 1:
		c.bad(n, "a condition is one of %s; write `{ missing: /pointer }`", choices(conditionKeys))
		return nil
	}
	switch key {
	case "missing":
		return groupchat.Missing(c.pointer(value))
	case "present":
		return groupchat.Present(c.pointer(value))
	case "speaker":
		return groupchat.Spoke(c.participant(value))
	case "and":
		return groupchat.And(c.several(value, key, depth)...)
	case "or":
		return groupchat.Or(c.several(value, key, depth)...)
	case "not":
		return groupchat.Not(c.read(value, depth+1))
	}
	return c.comparison(key, value)
}

// several reads the conditions of and, or of or.
func (c *conditionReader) several(n *node, key string, depth int) []groupchat.Condition {
	items := c.list(n, key)
	if n.kind == listNode && len(items) == 0 {
		c.bad(n, "%s needs at least one condition; write `%s: [ { present: /a }, { missing: /b } ]`", key, key)
	}
	var all []groupchat.Condition
	for _, item := range items {
		all = append(all, c.read(item, depth+1))
	}
	return all
}

// comparison reads a condition that compares a value in the state, or what somebody said, with one in the file.
func (c *conditionReader) comparison(key string, n *node) groupchat.Condition {
	f := c.fields(n, key)
	f.kind = "a comparison"
	path, said := f.take("path"), f.take("said")
	value, pattern := f.raw("value"), f.raw("pattern") // a value may be null
	f.end()
	if n.kind != mappingNode {
		return nil
	}
	with, other, wants := value, pattern, "value"
	if key == "matches" {
		with, other, wants = pattern, value, "pattern"
	}
	switch {
	case (path == nil) == (said == nil):
		c.bad(n, "%s needs one of path, a pointer into the state, and said, user or a participant; write `%s: { path: /topic, %s: … }`", key, key, wants)
		return nil
	case with == nil || other != nil:
		c.bad(n, "%s needs %s and nothing else to compare with; write `%s: { path: /topic, %s: … }`", key, wants, key, wants)
		return nil
	case said != nil:
		return c.said(key, said, with)
	}
	pointer := c.pointer(path)
	switch key {
	case "equals":
		return groupchat.Equal(pointer, c.json(with))
	case "contains":
		if with.kind == scalarNode && c.isText(with) {
			return groupchat.Contains(pointer, c.text(with))
		}
		return groupchat.Contains(pointer, c.json(with))
	case "greater":
		return groupchat.Greater(pointer, c.decimal(with))
	case "less":
		return groupchat.Less(pointer, c.decimal(with))
	}
	return groupchat.Matches(pointer, c.regexp(with))
}

// isText reports whether a scalar is a text in JSON.
func (c *conditionReader) isText(n *node) bool { return strings.HasPrefix(string(c.json(n)), `"`) }

// said reads a comparison with the last words of the user or of a participant.
func (c *conditionReader) said(key string, who, with *node) groupchat.Condition {
	test := func(string) bool { return false }
	switch key {
	case "equals":
		want := c.words(with)
		test = func(text string) bool { return text == want }
	case "contains":
		want := c.words(with)
		test = func(text string) bool { return strings.Contains(text, want) }
	case "matches":
		if pattern := c.regexp(with); pattern != nil {
			test = pattern.MatchString
		}
	default:
		c.bad(who, "what somebody says is a text, not a number; compare it with equals, contains or matches, or write `path: /pointer`")
	}
	if who.kind == scalarNode && who.text == userWord {
		if slices.Contains(c.names, userWord) {
			c.bad(who, "user is the person here, and a participant has that name; rename the participant")
		}
		return groupchat.UserSaid(test)
	}
	return groupchat.Said(c.participant(who), test)
}

// words reads a text that somebody may say.
func (c *conditionReader) words(n *node) string {
	before := len(c.problems)
	text := c.text(n)
	if text == "" && len(c.problems) == before {
		c.bad(n, "everybody's words contain an empty text; write one")
	}
	return text
}

// participant reads the name of a participant.
func (c *conditionReader) participant(n *node) string {
	before := len(c.problems)
	name, quotable := c.word(n)
	switch {
	case len(c.problems) > before, slices.Contains(c.names, name):
	case c.nobody != "":
		c.bad(n, "%s", c.nobody)
	case !c.known:
	case quotable:
		c.bad(n, "%q is no participant here; name one of %s", name, strings.Join(c.names, ", "))
	default:
		c.bad(n, "the value from the environment is no participant of this chat; name one")
	}
	return name
}

// decimal reads a number.
func (c *conditionReader) decimal(n *node) float64 {
	before := len(c.problems)
	text := c.text(n)
	got, err := strconv.ParseFloat(text, 64)
	if len(c.problems) == before && (err != nil || got-got != 0) {
		c.bad(n, "not a number; write one, such as 3 or 0.5")
	}
	return got
}

// regexp reads a pattern. Nil means that there is a mistake, which is noted.
func (c *conditionReader) regexp(n *node) *regexp.Regexp {
	before := len(c.problems)
	text, quotable := c.word(n)
	if len(c.problems) > before {
		return nil
	}
	if text == "" || len(text) > maxPattern {
		c.bad(n, "a pattern has 1 to %d bytes", maxPattern)
		return nil
	}
	pattern, err := regexp.Compile(text)
	if err != nil && quotable {
		c.bad(n, "not a pattern (RE2): %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	} else if err != nil {
		c.bad(n, "the value from the environment is not a pattern (RE2)")
	}
	return pattern
}
