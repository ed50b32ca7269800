package groupchat

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state/document"
)

// SubOptions say what an agent under [Sub] shares with the team around it. The zero value shares everything, like any
// participant.
type SubOptions struct {
	// Inputs compute members of the agent's state, by name, when its turn begins, from what its participant sees. With
	// inputs it needs a separate state. See [FromState].
	Inputs map[string]func(View) (any, error)
	// Messages are what it is shown of the conversation, from what its participant sees. Nil shows it nothing if it has
	// inputs, else all of that.
	Messages func(View) []Message
	// Prompt is a user's message after the visible messages, from the participant's view; empty text adds none. It
	// is computed when its turn begins, and recorded.
	Prompt func(View) string
	// State is which state it works on.
	State Scoping
	// Output says who sees its messages.
	Output OutputMode
	// Result is a pointer of the state around it, where its last words are kept; empty keeps them nowhere. A turn
	// without words keeps the old value.
	Result string
	// OnAsk may answer a question that somebody in it asks, with true, so that no person is asked. The answer is
	// checked like a person's: one that breaks the schema is an error, one that fails the asker's check lets it ask
	// again, and then a person. It may be called by several at once, and again after a takeover.
	OnAsk func(ctx context.Context, t *Turn, q Asked) (ask.Answer, bool, error)
}

// Asked is a question that somebody within a [Sub] asks.
type Asked struct {
	Path string // of the asking agent, as [Turn.Path]
	Question
}

// FromState is an input: the value at a pointer of the participant's state, null if there is none.
func FromState(pointer string) func(View) (any, error) {
	return func(v View) (any, error) {
		raw, ok := v.State.Raw(pointer)
		if !ok {
			return nil, nil
		}
		return raw, nil
	}
}

// Sub returns agent, usually a [Chat], as one that shares only what o says with the team it is a participant of: a
// sub-workflow.
func Sub(agent Agent, o SubOptions) Agent { return &sub{agent, o} }

type sub struct {
	agent Agent
	o     SubOptions
}

// A subRecord is what a turn under [Sub] has to remember.
type subRecord struct {
	// After is the last message there was when the turn began; Begun says that the inputs are there.
	After  string          `json:"after,omitempty"`
	Begun  bool            `json:"begun,omitempty"`
	Scope  json.RawMessage `json:"scope,omitempty"`
	Branch []Message       `json:"branch,omitempty"`
}

// Run lets the agent take t, as much of it as it is to see.
func (s *sub) Run(ctx context.Context, t *Turn) error {
	record := t.sub()
	in := t.within()
	in.visibility = &visibility{after: record.After}
	own, err := t.ownScope(s.o.State, t.scope, savedIn(&record.Scope), record.Begun)
	if err != nil {
		return err
	}
	if own != nil {
		in.scope = own.scope
	}
	err = s.enter(ctx, t, in, record)
	if leaveErr := own.close(err == nil); err == nil {
		err = leaveErr
	}
	return err
}

// enter shows the agent what it is to see, and lets it work.
func (s *sub) enter(ctx context.Context, t, in *Turn, record *subRecord) error {
	v := t.view()
	if !record.Begun {
		if err := s.inputs(in.scope, v); err != nil {
			return err
		}
	}
	t.beginSub(record)
	prompt, err := s.prompt(t, v)
	if err != nil {
		return err
	}
	switch {
	case s.o.Messages != nil:
		in.visibility.given = append([]Message{}, s.o.Messages(v)...)
	case len(s.o.Inputs) > 0:
		in.visibility.given = []Message{}
	default:
		in.visibility.known = append([]Message{}, v.History()...)
	}
	if in.visibility.given != nil {
		in.visibility.input = prompt
	} else {
		in.visibility.known = append(in.visibility.known, prompt...)
	}
	if s.o.Output == OutputDirect {
		in.direct = t.Path()
	}
	if s.o.OnAsk != nil {
		in.onAsk = func(path string, q Question) (ask.Answer, bool, error) { return s.o.OnAsk(ctx, t, Asked{path, q}) }
	}
	said, err := s.work(t, in, record)
	if err != nil {
		return err
	}
	if s.o.Output == OutputHistory {
		err = t.sayAnswers(t.run, t.out, s.agent, "sub/say", said)
	}
	words := joined(said)
	if err != nil || s.o.Result == "" || strings.TrimSpace(words) == "" {
		return err
	}
	return t.State().Set(s.o.Result, words)
}

// prompt returns the user's message for the agent, if there is one.
func (s *sub) prompt(t *Turn, v View) ([]Message, error) {
	if s.o.Prompt == nil {
		return nil, nil
	}
	text, err := recorded(t, "sub/prompt", func() (string, error) { return clip.To(s.o.Prompt(v), maxPrepared), nil })
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	return []Message{{ID: t.ID() + "/prompt", Role: agui.RoleUser, Content: agui.TextContent(text)}}, nil
}

// inputs puts what the agent is given into its state.
func (s *sub) inputs(scope *document.Scope, v View) error {
	for _, name := range slices.Sorted(maps.Keys(s.o.Inputs)) {
		value, err := s.o.Inputs[name](v)
		if err != nil {
			return err
		}
		if err := scope.Set(document.Pointer(name), value); err != nil {
			return err
		}
	}
	return nil
}

func (s *sub) work(t, in *Turn, record *subRecord) ([]answer, error) {
	if s.o.Output.ownConversation() {
		in.output = s.o.Output
		kept, err := in.useBranch(in.visibility.shown(in), &record.Branch)
		if err != nil {
			return nil, err
		}
		defer t.x.removeHook(kept)
	}
	if err := in.work(s.agent); err != nil {
		return nil, err
	}
	if err := in.out.CloseOpen(); err != nil {
		return nil, err
	}
	said := in.Messages()
	return t.x.answers(said[min(len(in.visibility.shown(in)), len(said)):], plainPath(t.path), anyMessage), nil
}

// within is a copy of t for an agent that sees less of the conversation or the state.
func (t *Turn) within() *Turn {
	in := t.same()
	in.owned, in.inCall, in.call = true, false, ""
	in.saved, in.own, in.output, in.onAsk, in.visibility = savedState{}, nil, "", nil, nil
	return in
}

// view is what t sees as a manager would, as it was when the turn began.
func (t *Turn) view() View {
	if t.inCall {
		return t.up.view()
	}
	var v View
	if t.chat != nil {
		v = t.chat.view()
	}
	v.State, v.history, v.backward, v.hearing = t.scope, sync.OnceValue(t.before), nil, t.hears(false)
	return v
}

// before is what t was shown when it began.
func (t *Turn) before() []Message {
	switch {
	case t.inCall:
		return t.up.before()
	case t.visibility != nil:
		return t.visibility.shown(t)
	case t.chat != nil:
		all := t.up.Messages()
		return t.chat.shown(t, all[:t.prefixLen(all, t.record.After)])
	case t.keys.Sub != nil:
		all := t.Messages()
		return all[:t.prefixLen(all, t.keys.Sub.After)]
	default:
		return t.Messages()
	}
}

// Unwrap is the agent that takes the turn.
func (s *sub) Unwrap() Agent { return s.agent }

// form says whether the agent has a separate state or conversation.
func (s *sub) form() []string {
	var own []string
	if s.o.State.Kind != ScopeShared {
		own = append(own, "sub:"+string(s.o.State.Kind))
	}
	if s.o.Output.ownConversation() {
		own = append(own, "sub:"+string(s.o.Output))
	}
	return own
}

func (s *sub) check(bad func(format string, args ...any)) {
	p := Participant{Name: "sub", Agent: s.agent, Scope: s.o.State}
	if p.Scope.Kind != ScopeShared && len(s.o.Inputs) > 0 {
		p.Scope.Inputs = maps.Clone(s.o.Inputs)
		maps.Copy(p.Scope.Inputs, s.o.State.Inputs)
	}
	p.validate(bad)
	if len(s.o.Inputs) > 0 && s.o.State.Kind == ScopeShared {
		bad("inputs need a state of its own, isolated or mapped")
	}
	for _, name := range slices.Sorted(maps.Keys(s.o.Inputs)) {
		if s.o.Inputs[name] == nil {
			bad("input %q has no function", name)
		}
	}
	if !s.o.Output.known() {
		bad("unknown output %q", s.o.Output)
	}
}
