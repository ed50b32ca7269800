package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// Validate reports every mistake of the script, joined; each names its step, counted from 1: "step 2.then.1" is in the
// second.
func (s *Agent) Validate() error {
	return validate(s.Steps, nil)
}

// Validate reports every mistake of the tool's steps and result, joined.
func (o *ToolOptions) Validate() error {
	names, err := parameterNames(o.Parameters)
	if err != nil {
		return err
	}
	return errors.Join(validate(o.Steps, names), o.validateResult(names))
}

func (o *ToolOptions) validateResult(names []string) error {
	c := newValidation(names)
	for step := range all(o.Steps) {
		c.learnFrom(step)
	}
	c.errs, c.at = nil, "result"
	if _, err := json.Marshal(o.Result); err != nil {
		c.bad("is not JSON")
	}
	c.uses(o.Result)
	return errors.Join(c.errs...)
}

// parameterNames are those that a tool's arguments may have; with further ones allowed they are nil and any will do.
func parameterNames(schema json.RawMessage) ([]string, error) {
	if len(schema) == 0 {
		return []string{}, nil
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	if len(names) == 0 {
		return []string{""}, nil // which may be there is in a part of the schema that is not looked at
	}
	return names, nil
}

// validate reports the mistakes of steps. Arguments are the names of a tool's, nil for an agent, that has none.
func validate(steps []Step, arguments []string) error {
	c := newValidation(arguments)
	if len(steps) == 0 && arguments == nil {
		c.errs = append(c.errs, errors.New("has no steps"))
	}
	c.list(steps, "step ", 1)
	return errors.Join(c.errs...)
}

func newValidation(arguments []string) *validation {
	return &validation{known: map[string]string{}, arguments: arguments}
}

type validation struct {
	at        string
	known     map[string]string // what answers there are so far: key → what gives it
	arguments []string          // of a tool; nil in an agent, one empty name for any
	inEach    bool
	errs      []error
}

func (c *validation) bad(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(c.at+": "+format, args...))
}

func (c *validation) list(steps []Step, at string, depth int) {
	for i := range steps {
		c.at = at + strconv.Itoa(i+1)
		if depth > maxDepth {
			c.bad("is nested deeper than %d", maxDepth)
			return
		}
		c.step(&steps[i], depth)
	}
}

func (c *validation) step(s *Step, depth int) {
	at, actions := c.at, 0
	for _, set := range []bool{
		s.Say != "", s.Ask != nil, s.AskMany != nil, s.Set != nil, s.Tool != nil, s.Call != nil, s.Sleep != 0,
		s.Fail != nil, s.When != nil, s.Each != nil,
	} {
		if set {
			actions++
		}
	}
	if actions != 1 {
		c.bad("does %d things, want exactly one of say, ask, ask_many, set, tool, call, sleep, fail, when, each",
			actions)
	}
	c.uses(s.Say)
	if s.Set != nil {
		c.set(s.Set)
	}
	if s.Sleep < 0 {
		c.bad("sleep: %s is less than nothing", s.Sleep)
	}
	if s.Fail != nil {
		c.fail(s.Fail)
	}
	c.learnFrom(s)
	if s.When != nil {
		c.when(s.When, at, depth)
	}
	if s.Each != nil {
		c.uses(s.Each.In)
		inEach := c.inEach
		c.inEach = true
		c.list(s.Each.Do, at+".each.", depth+1)
		c.inEach = inEach
	}
}

// learnFrom looks at the steps that give answers.
func (c *validation) learnFrom(s *Step) {
	switch {
	case s.Ask != nil:
		c.asks("ask", []Ask{*s.Ask})
	case s.AskMany != nil:
		c.asks("ask_many", s.AskMany)
	case s.Tool != nil:
		c.tool(s.Tool)
	case s.Call != nil:
		c.call(s.Call)
	}
}

// when requires a condition. Values from one branch may be used after both: they are empty after the other.
func (c *validation) when(w *When, at string, depth int) {
	if w.If == nil && len(uses(w.Value)) == 0 {
		c.bad("when: has neither a condition nor a reference as its value")
	}
	if len(w.Then)+len(w.Else) == 0 {
		c.bad("when: has no steps")
	}
	c.uses(w.Value)
	c.uses(w.Equals)
	before := maps.Clone(c.known)
	c.list(w.Then, at+".then.", depth+1)
	learnt := c.known
	c.known = before
	c.list(w.Else, at+".else.", depth+1)
	maps.Copy(c.known, learnt)
}

func (c *validation) fail(f *Fail) {
	c.uses(f.Message)
	if strings.ContainsFunc(f.Code, func(r rune) bool {
		return !strings.ContainsRune("_-.", r) && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		c.bad("fail: the code %q is more than letters, digits, _, - and .", f.Code)
	}
}

// learn notes that there is an answer under key from now on. A tool or an agent may be called again: the last answer
// counts.
func (c *validation) learn(key, kind string) {
	if had, ok := c.known[key]; ok && (had != kind || kind == "question") {
		c.bad("the key %q is taken by a %s", key, had)
	}
	c.known[key] = kind
}

// uses wants every reference in v to be to something that is there by now.
func (c *validation) uses(v any) {
	unknown := uses(v)
	slices.SortFunc(unknown, func(a, b use) int { return strings.Compare(a.root+"."+a.name, b.root+"."+b.name) })
	for _, u := range slices.Compact(unknown) {
		first, _, _ := strings.Cut(u.name, ".")
		switch u.root {
		case rootAnswers:
			if c.known[u.name] == "" && c.known[first] == "" {
				c.bad("${answers.%s}: no step before asks a question or calls a tool or an agent of that name", u.name)
			}
		case rootArguments:
			if !slices.Contains(c.arguments, first) && !slices.Contains(c.arguments, u.name) &&
				!slices.Contains(c.arguments, "") {
				c.bad("${arguments.%s}: is no argument; those of a tool are in its parameters", u.name)
			}
		default:
			if u.root != rootEach {
				c.bad("${%s.%s}: there are ${answers.…}, ${arguments.…} and ${each.…}", u.root, u.name)
			} else if !c.inEach || first != "item" && u.name != "index" {
				c.bad("${each.%s}: in the steps of each there are ${each.item} and ${each.index}", u.name)
			}
		}
	}
}

var (
	_ groupchat.Agent   = (*Agent)(nil)
	_ profile.Describer = (*Agent)(nil)
)
