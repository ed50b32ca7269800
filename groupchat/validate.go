package groupchat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxDepth is how deep chats may nest; a chat that contains itself hits it.
const maxDepth = 16

// Validate reports every mistake of the chat, nested ones included, joined. A chat without one cannot fail
// for its definition at run time, except where a manager chooses freely.
func (c *Chat) Validate() error { return c.validate("chat", 1) }

func (c *Chat) validate(where string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: nested deeper than %d, or contains itself", where, maxDepth)
	}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(where+": "+format, args...)) }
	if c.MaxRounds < 0 {
		bad("max rounds is %d, want 1 or more, or 0 for the default", c.MaxRounds)
	}
	if len(c.Participants) == 0 {
		bad("has no participants")
	}
	var names []string
	for i, p := range c.Participants {
		switch {
		case p.Name == "":
			bad("participant %d has no name", i+1)
		case strings.ContainsAny(p.Name, "./@#"):
			bad("participant %q: a name must not contain any of . / @ #", p.Name)
		case slices.Contains(names, p.Name):
			bad("participant %q is there twice", p.Name)
		case p.Name == c.supervisor():
			bad("participant %q has the supervisor's name", p.Name)
		}
		names = append(names, p.Name)
		if p.Agent == nil {
			bad("participant %q has no agent", p.Name)
		}
		if p.OnError.Retries < 0 {
			bad("participant %q: retries is %d", p.Name, p.OnError.Retries)
		}
		switch p.Scope.Kind {
		case ScopeShared, ScopeIsolated, ScopeMapped:
		default:
			bad("participant %q: unknown scope %q", p.Name, p.Scope.Kind)
		}
		if nested, ok := p.Agent.(*Chat); ok && nested != nil {
			if err := nested.validate(where+"."+p.Name, depth+1); err != nil {
				errs = append(errs, err)
			}
		}
	}
	if c.Manager == nil {
		bad("has no manager")
	} else if checker, ok := c.Manager().(Checker); ok {
		if err := checker.Check(names); err != nil {
			bad("manager: %w", err)
		}
	}
	return errors.Join(errs...)
}

// A Signature says which participants a checkpoint relies on: their paths, sorted. Adding one or changing a
// text leaves paused runs able to go on; removing or renaming one does not (G3).
type Signature []string

// SignatureOf returns the signature of an agent; one that is no chat has none.
func SignatureOf(a Agent) Signature {
	var s Signature
	collect(a, "", 1, &s)
	slices.Sort(s)
	return s
}

// Signature returns the chat's.
func (c *Chat) Signature() Signature { return SignatureOf(c) }

func collect(a Agent, path string, depth int, s *Signature) {
	c, ok := a.(*Chat)
	if !ok || depth > maxDepth {
		return
	}
	for _, p := range c.Participants {
		at := path + p.Name
		*s = append(*s, at)
		collect(p.Agent, at+".", depth+1, s)
	}
}

// Lacks returns a participant that saved has and s has not, or "".
func (s Signature) Lacks(saved Signature) string {
	for _, path := range saved {
		if _, ok := slices.BinarySearch(s, path); !ok {
			return path
		}
	}
	return ""
}
