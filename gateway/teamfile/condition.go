package teamfile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/condition"
)

// The bounds of one condition.
const (
	maxConditionDepth = 8    // and, or and not within each other
	maxConditions     = 100  // in one condition, itself included
	maxPattern        = 1000 // bytes
)

// userWord names the user in conditions on messages.
const userWord = "user"

// speakers are the names that a condition may give for the speaker of a message.
type speakers struct {
	names []string
	known bool   // false if a name could not be read, or the team is not known
	hint  string // the problem with any name, if there are none
}

// speakersOf returns the participants with names, of which one may be nil.
func speakersOf(names []*Value) speakers {
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
	speakers
	count int
}

// condition reads a condition on the state and on the messages of speakers. It returns nil if n is none, which is
// noted.
func (b *builder) condition(n *Value, who speakers) groupchat.Condition {
	c := &conditionReader{speakers: who}
	holds := c.read(n, 1)
	if c.count > maxConditions {
		n.Bad("more than %d conditions in one; split it into several rules", maxConditions)
	}
	return holds
}

// conditionKeys are the kinds of conditions.
var conditionKeys = []string{
	"missing", "present", "equals", "greater", "less", "contains", "matches", "speaker", "and", "or", "not",
}

func (c *conditionReader) read(n *Value, depth int) groupchat.Condition {
	c.count++
	if depth > maxConditionDepth {
		n.Bad("conditions are nested deeper than %d; write them flatter", maxConditionDepth)
		return nil
	}
	if c.count > maxConditions {
		return nil // noted once
	}
	f := n.Fields("a condition", "")
	var key string
	var value *Value
	given := 0
	for _, k := range conditionKeys {
		if one := f.Take(k); one != nil {
			key, value = k, one
			given++
		}
	}
	f.End()
	if given != 1 {
		n.Bad("a condition is one of %s; write `{ missing: /pointer }`", choices(conditionKeys))
		return nil
	}
	switch key {
	case "missing":
		return condition.Missing(value.pointer())
	case "present":
		return condition.Present(value.pointer())
	case "speaker":
		return condition.Speaker(c.participant(value))
	case "and":
		return condition.And(c.several(value, key, depth)...)
	case "or":
		return condition.Or(c.several(value, key, depth)...)
	case "not":
		return condition.Not(c.read(value, depth+1))
	}
	return c.comparison(key, value)
}

// several reads the conditions of and, or of or.
func (c *conditionReader) several(n *Value, key string, depth int) (all []groupchat.Condition) {
	for _, item := range n.List(key) {
		all = append(all, c.read(item, depth+1))
	}
	if len(all) == 0 {
		n.Bad("%s needs at least one condition; write `%s: [ { present: /a }, { missing: /b } ]`", key, key)
	}
	return all
}

// comparison reads a condition that compares a value in the state, or a message, with a value of the file.
func (c *conditionReader) comparison(key string, n *Value) groupchat.Condition {
	f := n.Fields(key, "a comparison")
	path, said := f.Take("path"), f.Take("said")
	value, pattern := f.Any("value"), f.Any("pattern") // a value may be null
	f.End()
	with, other, wants := value, pattern, "value"
	if key == "matches" {
		with, other, wants = pattern, value, "pattern"
	}
	switch {
	case (path == nil) == (said == nil):
		n.Bad("%s needs one of path, a pointer into the state, and said, user or a participant; "+
			"write `%s: { path: /topic, %s: … }`", key, key, wants)
		return nil
	case with == nil || other != nil:
		n.Bad("%s needs %s and nothing else to compare with; write `%s: { path: /topic, %s: … }`",
			key, wants, key, wants)
		return nil
	case said != nil:
		return c.said(key, said, with)
	}
	pointer := path.pointer()
	switch key {
	case "equals":
		return condition.Equals(pointer, with.JSON())
	case "contains":
		if with.isScalar() && strings.HasPrefix(string(with.JSON()), `"`) {
			return condition.Contains(pointer, with.Text())
		}
		return condition.Contains(pointer, with.JSON())
	case "greater":
		return condition.Greater(pointer, with.decimal())
	case "less":
		return condition.Less(pointer, with.decimal())
	}
	return condition.Matches(pointer, with.regexp())
}

// said reads a comparison with the last message of the user or of a participant.
func (c *conditionReader) said(key string, who, with *Value) groupchat.Condition {
	test := func(string) bool { return false }
	switch key {
	case "equals":
		want := with.words()
		test = func(text string) bool { return text == want }
	case "contains":
		want := with.words()
		test = func(text string) bool { return strings.Contains(text, want) }
	case "matches":
		if pattern := with.regexp(); pattern != nil {
			test = pattern.MatchString
		}
	default:
		who.Bad("what somebody says is a text, not a number; compare it with equals, contains or matches, " +
			"or write `path: /pointer`")
	}
	if who.isScalar() && who.text == userWord {
		if slices.Contains(c.names, userWord) {
			who.Bad("user is the person here, and a participant has that name; rename the participant")
		}
		return condition.UserSaid(test)
	}
	return condition.Said(c.participant(who), test)
}

// words reads a text that somebody may say.
func (v *Value) words() string {
	text := v.Text()
	if text == "" {
		v.Bad("everybody's words contain an empty text; write one")
	}
	return text
}

// participant reads the name of a participant.
func (c *conditionReader) participant(n *Value) string {
	name := n.Text()
	switch {
	case slices.Contains(c.names, name):
	case c.hint != "":
		n.Bad("%s", c.hint)
	case c.known:
		n.Bad("%s is no participant here%s; name one of %s", n.quoted(), n.guess(c.names), strings.Join(c.names, ", "))
	}
	return name
}

// decimal reads a number; 0 after a mistake.
func (v *Value) decimal() float64 {
	f := v.number("not a number; write one, such as 3 or 0.5", func(f float64) bool { return f-f == 0 })
	if f == nil {
		return 0
	}
	return *f
}

// regexp reads a pattern. It returns nil after a mistake, which is noted.
func (v *Value) regexp() *regexp.Regexp {
	text := v.Text()
	if text == "" || len(text) > maxPattern {
		v.Bad("a pattern has 1 to %d bytes", maxPattern)
		return nil
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		if _, expanded := v.expand(); expanded {
			v.fail("the value from the environment is not a pattern (RE2)")
		}
		v.fail("not a pattern (RE2): %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return pattern
}
