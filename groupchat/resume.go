package groupchat

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
)

// A Resumer is an [Agent] of another kind. It records its progress in a turn ([Turn.Remember]), and can tell whether
// it can continue a paused turn of an older definition: teams change between a question and its answer.
type Resumer interface {
	Agent
	// Kind names the kind, such as "script". A turn that waits is not gone on with by an agent of another kind.
	Kind() string
	// CanResume returns why the agent cannot continue a turn with the records that recall finds, or nil. It is called
	// before anything of the run is sent, where the agent is known to take part, and by [Turn.Exclusive].
	CanResume(recall func(key string) (json.RawMessage, bool)) error
}

// Exclusive runs the turn of a, which remembers what it does under keys that all agents of its kind use: no other of
// them may take the same turn, and a itself only if it has failed. Those that are to work in one turn are for
// [Turn.Invoke]. If a cannot continue with the records of the turn, the run ends with that error, whatever policy there
// is.
func (t *Turn) Exclusive(a Resumer, run func() error) error {
	return t.exclusive(a.Kind(), a, func() error {
		if err := a.CanResume(t.Recall); err != nil {
			return t.x.fatal(err)
		}
		return run()
	})
}

// ownKey begins the keys of what agents remember, so that none of them is a key of this package.
const ownKey = "u/"

// recall returns what an agent remembers under key.
func (k *keySpace) recall(key string) (json.RawMessage, bool) {
	raw, ok := k.Memo[ownKey+key]
	return raw, ok
}

// Remember keeps value, which is JSON, under key for as long as the turn lasts, pauses included. After a takeover it is
// what it was at the last commit: what must not happen twice belongs into [Once].
func (t *Turn) Remember(key string, value json.RawMessage) { t.remember(ownKey+key, value) }

// resume prepares the records of a checkpoint: every answer and result is delivered to its question or call, at
// once, because the first commit of any turn uses all of them up. It fails if today's agents cannot continue these
// records. A nil participant is one that only another agent knows.
func (x *execution) resume(p *Participant, f *turnRecord) error {
	if err := p.fits(f); err != nil {
		return err
	}
	if f.Tries < 0 {
		return fail(errcode.CheckpointIncompatible, "turn %s: %d tries", f.ID, f.Tries)
	}
	if x.Takeover {
		f.endInvocation()
	}
	return x.resumeKeys(p, f.ID, &f.keySpace)
}

// resumeKeys is resume for what a turn of p's, or a call of a tool in it, has to remember. Id names it in errors.
func (x *execution) resumeKeys(p *Participant, id string, k *keySpace) error {
	if err := x.deliver(id, k); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(k.Tools)) {
		if k.Tools[key] == nil {
			return fail(errcode.CheckpointIncompatible, "turn %s: call %q of a tool is null", id, key)
		}
		if err := x.resumeKeys(nil, id+"/"+key, k.Tools[key]); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(k.Children)) {
		if err := x.resumePart(p, id, k.Children[key]); err != nil {
			return err
		}
	}
	if k.Chat == nil {
		return nil
	}
	if k.Chat.Round < 0 {
		return fail(errcode.CheckpointIncompatible, "turn %s: round %d", id, k.Chat.Round)
	}
	if k.Chat.Turn == nil {
		return nil
	}
	return x.resumePart(p, id, k.Chat.Turn)
}

// resumePart is resume for a turn in that called id, which p takes.
func (x *execution) resumePart(p *Participant, id string, part *turnRecord) error {
	if part == nil {
		return fail(errcode.CheckpointIncompatible, "turn %s: a turn in it is null", id)
	}
	made, known := p.agent().(composite)
	if !known || isNil(made) {
		return x.resume(nil, part) // who takes part in a turn of another kind of agent only that agent knows
	}
	for _, member := range made.parts() {
		if member.Name == part.Speaker {
			return x.resume(&member, part)
		}
	}
	if c, ok := made.(*Chat); ok && part.Speaker == c.supervisor() && c.Manager != nil {
		if self := supervisorTurn(c.Manager(), part.Speaker); self != nil {
			return x.resume(self, part)
		}
	}
	return fail(errcode.CheckpointIncompatible, "turn %s: participant %q is gone", part.ID, part.Speaker)
}

// deliver gives k, which is that of the turn called turn, the answers and results that came for it.
func (x *execution) deliver(turn string, k *keySpace) error {
	for key, id := range k.Asks {
		if id == "" {
			return fail(errcode.CheckpointIncompatible, "turn %s: a question without an id", turn)
		}
		answer, ok := x.Answers[id]
		if _, had := k.Answers[key]; ok && !had {
			k.Answers = with(k.Answers, key, answer)
		}
	}
	for key, call := range k.Calls {
		if call.ID == "" {
			return fail(errcode.CheckpointIncompatible, "turn %s: a call without an id", turn)
		}
		if result, ok := x.Results[call.ID]; ok && !call.Done {
			k.Calls[key] = frontendCall{ID: call.ID, Result: result, Done: true}
		}
	}
	return nil
}

// A run that waits may continue with a newer definition of its team. Participants are found by name
// and a checkpoint's signature lists the required ones. The code below is about the open turns: their records
// hold must mean the same to the agents of today; otherwise nothing of it may be used.

// form is the kind of p's agent, and of the wrappers around it, as far as the record of its turn depends on that: a
// separate state or conversation is kept in another place.
func (p *Participant) form() string {
	var parts []string
	if p.Scope.Kind != ScopeShared {
		parts = append(parts, string(p.Scope.Kind))
	}
	for _, w := range wrappersOf(p.Agent) {
		if k, ok := w.(keepingWrapper); ok {
			parts = append(parts, k.form()...)
		}
	}
	kind := "custom"
	switch a := unwrap(p.Agent).(type) {
	case *Chat:
		kind = "chat"
	case *Concurrent:
		kind = "fan"
	case *review:
		kind = "review"
	case *LLM:
		kind = "llm"
	case *Remote:
		kind = "remote"
	case speakingSupervisor:
		kind = "supervisor"
	case Resumer:
		if !isNil(a) {
			kind = a.Kind()
		}
	}
	return strings.Join(append(parts, kind), " ")
}

// agent is p's agent without wrappers; nil if p is unknown.
func (p *Participant) agent() Agent {
	if p == nil {
		return nil
	}
	return unwrap(p.Agent)
}

// fits reports why p, if it is known, cannot continue the turn of f.
func (p *Participant) fits(f *turnRecord) error {
	if p == nil {
		return nil
	}
	if form := p.form(); f.Form != "" && !f.Done && f.Form != form {
		return fail(errcode.CheckpointIncompatible, "turn %s: the agent was of the kind %q and is of %q", f.ID, f.Form,
			form)
	}
	switch a := p.agent().(type) {
	case *Chat:
		switch {
		case isNil(a):
		case len(f.Asks)+len(f.Calls) > 0:
			return fail(errcode.CheckpointIncompatible, "turn %s: a chat does not ask", f.ID)
		case f.Chat != nil && f.Chat.Turn != nil && a.Manager != nil:
			r := chatRun{Chat: a, record: f.Chat, manager: a.Manager(), infos: a.Describe().Participants}
			return r.fits()
		}
	case Resumer:
		if !isNil(a) {
			return a.CanResume(f.recall)
		}
	}
	return nil
}

func kindOf(m Manager) string {
	if known, ok := managerAs[Kinded](m); ok {
		return known.Kind()
	}
	return "custom"
}

// targets are the names of those to whom the speaker may hand over.
func (r *chatRun) targets(speaker string) []string {
	m, ok := managerAs[HandoffManager](r.manager)
	if !ok {
		return nil
	}
	var names []string
	for _, p := range m.Handoffs(speaker, r.infos) {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// fits reports why the chat cannot continue its open turn: another manager would take the record for something
// else, and a speaker may have chosen, or been about to choose, somebody to whom it may not hand over any more.
func (r *chatRun) fits() error {
	f := r.record
	if f.Turn == nil || f.Kind == "" {
		return nil
	}
	if kind := kindOf(r.manager); f.Kind != kind {
		return fail(errcode.CheckpointIncompatible, "turn %s: the manager was of the kind %q and is of %q", f.Turn.ID,
			f.Kind, kind)
	}
	targets := r.targets(f.Turn.Speaker)
	for _, name := range f.To {
		if !slices.Contains(targets, name) {
			return fail(errcode.CheckpointIncompatible, "turn %s: %q may not hand over to %q any more", f.Turn.ID,
				f.Turn.Speaker, name)
		}
	}
	return nil
}
