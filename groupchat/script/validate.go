package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// Validate reports every mistake of the script, joined; each names its step, counted from 1.
func (s *Agent) Validate() error {
	c := validation{known: map[string]string{}}
	if len(s.Steps) == 0 {
		c.errs = append(c.errs, errors.New("has no steps"))
	}
	for i := range s.Steps {
		c.at = fmt.Sprintf("step %d", i+1)
		c.step(&s.Steps[i])
	}
	return errors.Join(c.errs...)
}

// A validation is a walk over a script.
type validation struct {
	at    string
	known map[string]string // what answers there are so far: key → "question" or "tool"
	errs  []error
}

func (c *validation) bad(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(c.at+": "+format, args...))
}

func (c *validation) step(s *Step) {
	actions := 0
	for _, set := range []bool{
		s.Say != "", s.Ask != nil, s.AskMany != nil, s.Set != nil, s.Tool != nil, s.Sleep != 0, s.Fail != nil,
	} {
		if set {
			actions++
		}
	}
	if actions != 1 {
		c.bad("does %d things, want exactly one of say, ask, ask_many, set, tool, sleep, fail", actions)
	}
	c.uses(s.Say)
	if s.Ask != nil {
		c.asks("ask", []Ask{*s.Ask})
	}
	if s.AskMany != nil {
		c.asks("ask_many", s.AskMany)
	}
	if s.Set != nil {
		c.set(s.Set)
	}
	if s.Tool != nil {
		c.tool(s.Tool)
	}
	if s.Sleep < 0 {
		c.bad("sleep: %s is less than nothing", s.Sleep)
	}
	if s.Fail != nil {
		c.uses(s.Fail.Message)
		if strings.ContainsFunc(s.Fail.Code, func(r rune) bool {
			return !strings.ContainsRune("_-.", r) && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
		}) {
			c.bad("fail: the code %q is more than letters, digits, _, - and .", s.Fail.Code)
		}
	}
}

func (c *validation) asks(action string, asks []Ask) {
	if len(asks) == 0 {
		c.bad("%s: has no questions", action)
	}
	for i := range asks {
		c.ask(action, &asks[i])
	}
	for i := range asks {
		c.learn(asks[i].Key, "question")
	}
}

func (c *validation) ask(action string, a *Ask) {
	if a.Key == "" {
		c.bad("%s: a question has no key", action)
	}
	if strings.ContainsAny(a.Key, "#{}") {
		c.bad("%s: the key %q contains one of # { }", action, a.Key)
	}
	if a.Message == "" {
		c.bad("%s: question %q has no message", action, a.Key)
	}
	if a.Options != nil && len(a.Options) == 0 {
		c.bad("%s: question %q has no options to choose from; leave them out for free input", action, a.Key)
	}
	if a.TTL < 0 {
		c.bad("%s: question %q: ttl %s is less than nothing", action, a.Key, a.TTL)
	}
	if _, err := json.Marshal(a.Options); err != nil {
		c.bad("%s: question %q: the options are not JSON", action, a.Key)
	}
	c.uses(a.Message)
	c.uses(a.Options)
}

func (c *validation) set(s *Set) {
	empty, err := state.NewDocument(nil, state.DocumentOptions{})
	if err == nil {
		_, err = empty.Get(s.Path, new(any))
	}
	if err != nil {
		c.bad("set: path: %w", err)
	}
	if _, err := json.Marshal(s.Value); err != nil {
		c.bad("set: the value is not JSON")
	}
	c.uses(s.Value)
}

func (c *validation) tool(t *Tool) {
	if t.Name == "" {
		c.bad("tool: has no name")
	}
	switch t.Arguments.(type) {
	case nil, map[string]any:
	default:
		c.bad("tool: the arguments are not an object")
	}
	if _, err := json.Marshal(t.Arguments); err != nil {
		c.bad("tool: the arguments are not JSON")
	}
	c.uses(t.Arguments)
	c.learn(t.Name, "tool")
}

// learn notes that there is an answer under key from now on. A tool may be called again: its last answer counts.
func (c *validation) learn(key, kind string) {
	if had, ok := c.known[key]; ok && (had != "tool" || kind != "tool") {
		c.bad("the key %q is taken by a %s", key, had)
	}
	c.known[key] = kind
}

// uses wants every reference in v to be to an answer there is by now.
func (c *validation) uses(v any) {
	unknown := references(v)
	slices.Sort(unknown)
	for _, key := range slices.Compact(unknown) {
		if c.known[key] == "" {
			c.bad("${answers.%s}: no step before asks a question or calls a tool of that name", key)
		}
	}
}

var (
	_ groupchat.Agent     = (*Agent)(nil)
	_ groupchat.Describer = (*Agent)(nil)
)
