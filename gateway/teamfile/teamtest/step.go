package teamtest

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/gateway/teamfile"
)

// A step is one item of a conversation: a request, or expectations of its run.
type step struct {
	at     *teamfile.Value
	sends  sends
	expect *expectation
}

// A sends is the part of a request that a person or the page decides. The zero value is nothing.
type sends struct {
	user    *string
	state   json.RawMessage
	answers []answer
}

// An answer is the answer to an open question, or the result of a call.
type answer struct {
	at     *teamfile.Value
	name   string // the key of a question, its message, or the name of a tool
	kind   string // answer, cancel, approve, reject or returns
	value  json.RawMessage
	edited json.RawMessage // arguments that replace those of a call
}

// some reports whether something is sent.
func (s sends) some() bool { return s.user != nil || len(s.answers) > 0 }

func (c *conversation) readSteps(list *teamfile.Value) {
	items := list.List("conversation")
	if list.IsList() && len(items) == 0 {
		list.Bad("nothing is said; begin with `- user: \"Hello\"`")
	}
	sent := false
	for _, item := range items {
		s := &step{at: item}
		c.readStep(s)
		if s.expect != nil && !sent {
			item.Bad("nothing was sent before this; begin with `- user: \"Hello\"`")
			sent = true
		}
		sent = sent || s.sends.some()
		c.steps = append(c.steps, s)
	}
}

func (c *conversation) readStep(s *step) {
	f := s.at.Fields("a step of a conversation", "step")
	s.sends.user, s.sends.state = optionalText(f.Take("user")), f.Take("state").JSON()
	for _, kind := range []string{"answer", "returns"} {
		keys, values := f.Take(kind).Pairs(kind)
		for i, key := range keys {
			a := answer{at: key, name: key.Text(), kind: kind, value: values[i].JSON()}
			s.sends.answers = append(s.sends.answers, a)
		}
	}
	for _, kind := range []string{"cancel", "approve", "reject"} {
		s.sends.answers = append(s.sends.answers, readNames(f.Take(kind), kind)...)
	}
	expect := f.Any("expect")
	f.End()
	if expect != nil {
		s.expect = c.readExpectation(expect)
	}
	switch {
	case !s.at.IsMapping():
	case s.sends.some() && s.expect != nil:
		s.at.Bad("a step sends something or expects something; write each as a `- ` line of its own")
	case s.sends.user != nil && len(s.sends.answers) > 0:
		s.at.Bad("a person either says something or answers; write two steps")
	case s.sends.state != nil && s.sends.user == nil:
		s.at.Bad("state goes with what a person says; write `user:` beside it")
	case !s.sends.some() && s.expect == nil:
		s.at.Bad("a step needs one of user, answer, approve, reject, cancel, returns or expect")
	}
}

// readNames reads a name, a list of names or, for approvals, names with edited arguments.
func readNames(v *teamfile.Value, kind string) []answer {
	var all []answer
	switch {
	case v == nil:
		return nil
	case v.IsMapping() && kind == "approve":
		keys, values := v.Pairs("approve")
		for i, key := range keys {
			all = append(all, answer{at: key, name: key.Text(), kind: kind, edited: values[i].JSON()})
		}
		return all
	case v.IsList():
		for _, item := range v.List(kind) {
			all = append(all, answer{at: item, name: item.Text(), kind: kind})
		}
		return all
	}
	name := v.Text()
	if strings.TrimSpace(name) == "" {
		v.Bad("%s needs a name", kind)
	}
	return []answer{{at: v, name: name, kind: kind}}
}
