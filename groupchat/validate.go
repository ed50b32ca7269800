package groupchat

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
)

// maxDepth is how deep chats may nest; a chat that contains itself hits it.
const maxDepth = 16

// Validate reports every mistake of the chat, nested ones included, joined. A chat that validates cannot fail at run
// time because of its definition, except where a manager chooses freely.
func (c *Chat) Validate() error { return validateTeam(c, "chat", nil) }

// A composite is an agent that is made of others, and knows them. Its value is a pointer.
type composite interface {
	Agent
	// parts are those it is made of.
	parts() []Participant
	// check reports mistakes in the team itself, by bad.
	check(bad func(format string, args ...any))
	// reserved are names no part may have.
	reserved() []string
	// info describes the team as the infos of its parts do; it may change them.
	info(parts []profile.Info) profile.Info
}

// validateTeam reports every mistake of a team that is part of the teams above.
func validateTeam(c composite, where string, above []Agent) error {
	if slices.Contains(above, Agent(c)) {
		return fmt.Errorf("%s: contains itself", where)
	}
	if len(above) >= maxDepth {
		return fmt.Errorf("%s: nested deeper than %d", where, maxDepth)
	}
	above = append(slices.Clip(above), c)
	var errs []error
	add := collecting(&errs)
	bad := func(format string, args ...any) { add(where+": "+format, args...) }
	var names []string
	for i, p := range c.parts() {
		switch {
		case p.Name == "":
			bad("participant %d has no name", i+1)
		case !utf8.ValidString(p.Name):
			bad("participant %q: a name must be UTF-8", p.Name) // it is a key of records, which are JSON
		case strings.ContainsAny(p.Name, "./@#"):
			bad("participant %q: a name must not contain any of . / @ #", p.Name)
		case p.Name == Done:
			bad("participant %q: the name means that nobody speaks", p.Name)
		case slices.Contains(names, p.Name):
			bad("participant %q is there twice", p.Name)
		case slices.Contains(c.reserved(), p.Name):
			bad("participant %q has the supervisor's name", p.Name)
		}
		names = append(names, p.Name)
		p.validate(bad)
		if err := validateAgent(p.Agent, where, p.Name, above); err != nil {
			errs = append(errs, err)
		}
	}
	c.check(bad)
	return errors.Join(errs...)
}

// validateAgent reports every mistake of the agent that is name's in the team where.
func validateAgent(a Agent, where, name string, above []Agent) error {
	var errs []error
	wrappers := wrappersOf(a)
	for _, w := range wrappers {
		if c, ok := w.(checkedWrapper); ok {
			c.check(func(format string, args ...any) {
				errs = append(errs, fmt.Errorf(where+"."+name+": "+format, args...))
			})
		}
	}
	if len(wrappers) > maxWrappers {
		return errors.Join(append(errs, fmt.Errorf("%s.%s: wrapped more than %d times", where, name, maxWrappers))...)
	}
	if a = unwrap(a); isNil(a) {
		return errors.Join(errs...) // its participant, or its wrapper, reports a missing agent
	}
	if nested, ok := a.(composite); ok {
		errs = append(errs, validateTeam(nested, where+"."+name, above))
	} else if host, ok := a.(*LLM); ok {
		if err := host.validateIn(where+"."+name, above); err != nil {
			errs = append(errs, fmt.Errorf("%s: participant %q: %w", where, name, err))
		}
	} else if v, ok := a.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%s: participant %q: %w", where, name, err))
		}
	}
	return errors.Join(errs...)
}

// A checkedWrapper is a [Wrapper] that knows its mistakes.
type checkedWrapper interface {
	check(bad func(format string, args ...any))
}

// A keepingWrapper is a [Wrapper] because of which a turn is kept elsewhere: see [Participant.form].
type keepingWrapper interface {
	form() []string
}

// partsOf are the agents that a is made of, those that are its tools included; nil if there are none.
func partsOf(a Agent) []Participant {
	switch a := a.(type) {
	case composite:
		if !isNil(a) {
			return a.parts()
		}
	case *LLM:
		if a != nil {
			return a.toolAgents()
		}
	}
	return nil
}

func (c *Chat) parts() []Participant { return c.Participants }

func (c *Chat) reserved() []string { return []string{c.supervisor()} }

func (c *Chat) check(bad func(format string, args ...any)) {
	checkHistory(c.History, bad)
	if c.MaxRounds < 0 {
		bad("max rounds is %d, want 1 or more, or 0 for the default", c.MaxRounds)
	}
	if len(c.Participants) == 0 {
		bad("has no participants")
	}
	var names []string
	for _, p := range c.Participants {
		names = append(names, p.Name)
	}
	if err := c.checkManager(names); err != nil {
		bad("%w", err)
	}
}

// collecting returns a function that adds a mistake to errs.
func collecting(errs *[]error) func(format string, args ...any) {
	return func(format string, args ...any) { *errs = append(*errs, fmt.Errorf(format, args...)) }
}

// validate reports mistakes in the participant itself.
func (p *Participant) validate(bad func(format string, args ...any)) {
	if isNil(p.Agent) {
		bad("participant %q has no agent", p.Name)
	}
	for _, pointer := range p.Writes {
		if !strings.HasPrefix(pointer, "/") {
			bad("participant %q: may write %q, which is not the pointer of a member", p.Name, pointer)
		}
	}
	if p.OnError.Retries < 0 {
		bad("participant %q: retries is %d", p.Name, p.OnError.Retries)
	}
	if p.Context.Last && p.Context.Select != nil {
		bad("participant %q: its context is both the last words and a selection", p.Name)
	}
	switch p.Scope.Kind {
	case ScopeShared, ScopeIsolated, ScopeMapped:
	default:
		bad("participant %q: unknown scope %q", p.Name, p.Scope.Kind)
	}
	if p.Scope.Kind == ScopeIsolated && len(p.Scope.Mapping.Out) > 0 {
		bad("participant %q: an isolated scope has no outputs", p.Name)
	}
	if p.Scope.Kind == ScopeShared && len(p.Scope.Mapping.In)+len(p.Scope.Mapping.Out)+len(p.Scope.Inputs) > 0 {
		bad("participant %q: a shared scope has neither inputs nor outputs", p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Scope.Inputs)) {
		if _, twice := p.Scope.Mapping.In[name]; twice || p.Scope.Inputs[name] == nil {
			bad("participant %q: input %q is there twice, or has no function", p.Name, name)
		}
	}
	empty, err := document.New(nil, document.Options{})
	if err == nil {
		_, err = document.Mapped(document.Shared(empty), p.Scope.Mapping, nil)
	}
	if err != nil {
		bad("participant %q: scope: %w", p.Name, err)
	}
	p.checkContract(bad)
}

// isNil reports whether there is no agent, be it a nil of a type that is one.
func isNil(a Agent) bool {
	v := reflect.ValueOf(a)
	return !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil()
}

func (c *Chat) checkManager(names []string) error {
	if c.Manager == nil {
		return errors.New("has no manager")
	}
	m := c.Manager()
	if m == nil {
		return errors.New("has no manager: its function returns none")
	}
	if checker, ok := managerAs[Checker](m); ok {
		if err := checker.Check(names); err != nil {
			return fmt.Errorf("manager: %w", err)
		}
	}
	return nil
}

// A signature says which participants a checkpoint relies on: their paths, sorted. Adding one or changing a
// text does not break paused runs; removing or renaming one does. Besides, the records of open turns say which
// kinds of agents and managers they are of.
type signature []string

// signatureOf returns the signature of an agent; one that is not made of others has none.
func signatureOf(a Agent) signature {
	var s signature
	collect(a, "", nil, &s)
	slices.Sort(s)
	return s
}

func collect(a Agent, path string, above []Agent, s *signature) {
	a = unwrap(a)
	parts := partsOf(a)
	if parts == nil || slices.Contains(above, a) {
		return
	}
	above = append(slices.Clip(above), a)
	for _, p := range parts {
		at := path + p.Name
		*s = append(*s, at)
		collect(p.Agent, at+".", above, s)
	}
}

// lacks returns a participant that saved has and s has not, or "".
func (s signature) lacks(saved signature) string {
	for _, path := range saved {
		if _, ok := slices.BinarySearch(s, path); !ok {
			return path
		}
	}
	return ""
}
