package groupchat

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A run that waits may go on with another definition of its team than the one it began with. Participants are found by name
// and a checkpoint's signature says who has to be there. What follows is about the turns that are open: what their records
// hold must mean the same to the agents of today; otherwise nothing of it may be used.

// form says what kind of agent p is, and with what around it, as far as the record of its turn depends on that: what has a state or
// a conversation of its own is kept elsewhere than what has not.
func (p *Participant) form() string {
	var parts []string
	if p.Scope.Kind != ScopeShared {
		parts = append(parts, string(p.Scope.Kind))
	}
	a := p.Agent
	for w, ok := a.(wrapper); ok; w, ok = a.(wrapper) {
		parts = append(parts, w.form()...)
		a = w.unwrap()
	}
	kind := "custom"
	switch a := a.(type) {
	case *Chat:
		kind = "chat"
	case *Fan:
		kind = "fan"
	case *review:
		kind = "review"
	case *LLM:
		kind = "llm"
	case *Remote:
		kind = "remote"
	case Resumer:
		if !isNil(a) {
			kind = a.Kind()
		}
	}
	return strings.Join(append(parts, kind), " ")
}

// agent is p's without what is wrapped around it; nil if nobody knows p.
func (p *Participant) agent() Agent {
	if p == nil {
		return nil
	}
	return unwrap(p.Agent)
}

// fits reports why p, if it is known, cannot go on with a turn that was f's.
func (p *Participant) fits(f *turnRecord) error {
	if p == nil {
		return nil
	}
	if form := p.form(); f.Form != "" && !f.Done && f.Form != form {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: the agent was of the kind %q and is of %q", f.ID, f.Form, form)
	}
	switch a := p.agent().(type) {
	case *Chat:
		switch {
		case isNil(a):
		case len(f.Asks)+len(f.Calls) > 0:
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a chat does not ask", f.ID)
		case f.Chat != nil && f.Chat.Turn != nil && a.Manager != nil:
			r := chatRun{Chat: a, record: f.Chat, manager: a.Manager(), infos: a.Describe().Participants}
			return r.fits()
		}
	case Resumer:
		if !isNil(a) {
			return a.CanResume(func(key string) (json.RawMessage, bool) {
				raw, ok := f.Memo[key]
				return raw, ok
			})
		}
	}
	return nil
}

// kindOf is what a manager is called in records.
func kindOf(m Manager) string {
	if known, ok := m.(interface{ kind() string }); ok {
		return known.kind()
	}
	return "custom"
}

func (byState) kind() string     { return "rules" }
func (route) kind() string       { return "route" }
func (handoff) kind() string     { return "handoff" }
func (roundRobin) kind() string  { return "round_robin" }
func (sequential) kind() string  { return "sequential" }
func (*llmManager) kind() string { return "llm" }

// targets are the names of those to whom the speaker may hand over.
func (r *chatRun) targets(speaker string) []string {
	m, ok := r.manager.(handoffManager)
	if !ok {
		return nil
	}
	var names []string
	for _, p := range m.handoffs(speaker, r.infos) {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// fits reports why the chat cannot go on with its open turn: another manager would take what the record holds for something
// else, and a speaker may have chosen, or been about to choose, somebody to whom it may not hand over any more.
func (r *chatRun) fits() error {
	f := r.record
	if f.Turn == nil || f.Kind == "" {
		return nil
	}
	if kind := kindOf(r.manager); f.Kind != kind {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: the manager was of the kind %q and is of %q", f.Turn.ID, f.Kind, kind)
	}
	targets := r.targets(f.Turn.Speaker)
	for _, name := range f.To {
		if !slices.Contains(targets, name) {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: %q may not hand over to %q any more", f.Turn.ID, f.Turn.Speaker, name)
		}
	}
	return nil
}
