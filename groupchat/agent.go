package groupchat

import (
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/state/document"
)

// An Agent takes one turn in a chat. Run is called again for the same turn after a pause. Its error ends the
// run, or what the participant's policy says; a [*ask.Pause] suspends it. One Agent value serves many runs at once.
type Agent interface {
	Run(ctx context.Context, t *Turn) error
}

// AgentFunc is a function that is an [Agent].
type AgentFunc func(ctx context.Context, t *Turn) error

// Run calls f.
func (f AgentFunc) Run(ctx context.Context, t *Turn) error { return f(ctx, t) }

// A StateSpec says how an agent uses the shared state. It holds for the agent a thread belongs to; nested
// ones live with their root's.
type StateSpec struct {
	// Initial is an object with members that fill gaps in the thread's state when a run starts.
	Initial json.RawMessage
	// Reducers say how writes to a pointer combine with the old value; elsewhere they replace it.
	Reducers document.Reducers
	// Client lists the top-level pointers a caller may write; nil means all.
	Client []string
}

// A Stateful is an [Agent] that declares how it uses the shared state.
type Stateful interface {
	StateSpec() StateSpec
}

// A Participant is an agent under a name that others can refer to.
type Participant struct {
	Name        string // unique in the chat; no '.', no '/'
	Description string // for people, and for models that choose speakers
	Agent       Agent
	// Context is how much of the conversation it sees; the zero value is all of it.
	Context Context
	// OnError is what its failure means; the zero value fails the run.
	OnError failure.Policy
	// Scope is which state it works on; the zero value is the chat's own.
	Scope Scoping
	// Writes are the pointers of that state at and below which it may write, and what it is made of may; nil means all.
	// Another write is [document.ErrForbidden]. It may read everything.
	Writes []string
}

// A Context selects what a participant sees of the conversation. The zero value shows everything.
type Context struct {
	// Last shows only the previous speaker's words; if that is a team, those of all in it.
	Last bool
	// Select, if set, decides; it must not change the messages.
	Select func(View) []Message
}

// A ScopeKind says which state a participant works on.
type ScopeKind string

// The scopes of a participant.
const (
	ScopeShared   ScopeKind = ""         // the chat's own
	ScopeIsolated ScopeKind = "isolated" // a private one
	ScopeMapped   ScopeKind = "mapped"   // a private one, with inputs copied in and outputs copied out
)

// A Scoping is a participant's scope.
type Scoping struct {
	Kind    ScopeKind
	Mapping document.Mapping // of ScopeMapped
	// Inputs compute further members of a mapped or isolated state, by name, whenever Mapping.In is copied: when a turn
	// begins. They look at the conversation and the state of the participant's team, such as the values of package
	// template.
	Inputs map[string]func(View) (any, error)
}

// A Suggestion is something a person could say next.
type Suggestion struct {
	Title   string `json:"title"`   // short: it stands on a button
	Message string `json:"message"` // the message that the button sends
}

// A Situation is what suggestions are made for: a conversation as a client has it. It need not be a stored thread.
type Situation struct {
	Messages []agui.Message
	State    document.Reader
	Context  []agui.Context
	// Principal is the caller.
	Principal Principal
	// Most is how many suggestions are wanted at most.
	Most int
	// Agent is the agent, with its hooks, that the conversation is with, and Hooks are those of the service. Both hold
	// for models that are asked for suggestions. Used, if it is set, is given what these use, also if they fail.
	Agent Agent
	Hooks []Hooks
	Used  func([]agui.TokenUsage)
}

// A Suggester is an [Agent] that knows what a person could say to it next. Suggest is called beside runs, by several
// goroutines at once, and changes nothing. It returns at most s.Most suggestions, the best one first; none is an
// answer.
type Suggester interface {
	Suggest(ctx context.Context, s Situation) ([]Suggestion, error)
}

// SuggesterFunc is a function that is a [Suggester].
type SuggesterFunc func(ctx context.Context, s Situation) ([]Suggestion, error)

// Suggest calls f.
func (f SuggesterFunc) Suggest(ctx context.Context, s Situation) ([]Suggestion, error) {
	return f(ctx, s)
}

// Suggest asks c.Suggester; a chat without one has no suggestions.
func (c *Chat) Suggest(ctx context.Context, s Situation) ([]Suggestion, error) {
	if c.Suggester == nil {
		return nil, nil
	}
	return c.Suggester.Suggest(ctx, s)
}

var _ Suggester = (*Chat)(nil)

// WithSuggestions returns agent with a suggester. Its turns do not change.
func WithSuggestions(agent Agent, s Suggester) Agent { return &suggesting{agent, s} }

type suggesting struct {
	Agent
	suggester Suggester
}

// Unwrap returns the agent inside.
func (s *suggesting) Unwrap() Agent { return s.Agent }

// Suggest asks the suggester.
func (s *suggesting) Suggest(ctx context.Context, situation Situation) ([]Suggestion, error) {
	if situation.Agent == nil {
		situation.Agent = s
	}
	return s.suggester.Suggest(ctx, situation)
}

func (s *suggesting) check(bad func(format string, args ...any)) {
	if s.suggester == nil {
		bad("has no suggester")
	}
}

var (
	_ Wrapper   = (*suggesting)(nil)
	_ Suggester = (*suggesting)(nil)
)

// A Wrapper is an [Agent] that takes its turns with another one, in the same turn, and changes what happens around it.
// Everything that is known of the agent inside holds for the wrapper: its description, its team and their names, which
// headers are forwarded, how it uses the shared state, its suggestions, the needs of a checkpoint, and its mistakes. A
// checkpoint with a wrapper continues without it, and the other way round.
type Wrapper interface {
	Agent
	// Unwrap returns the agent inside. It returns the same one each time.
	Unwrap() Agent
}

// Wrap returns agent with another Run, as a [Wrapper]. Run usually calls agent.Run.
func Wrap(agent Agent, run func(ctx context.Context, t *Turn) error) Agent {
	return &wrapping{run, agent}
}

type wrapping struct {
	run   AgentFunc
	agent Agent
}

func (w *wrapping) Run(ctx context.Context, t *Turn) error { return w.run(ctx, t) }

func (w *wrapping) Unwrap() Agent { return w.agent }

func (w *wrapping) check(bad func(format string, args ...any)) {
	if w.run == nil {
		bad("is wrapped in no function")
	}
	if isNil(w.agent) {
		bad("wraps no agent")
	}
}

// As returns agent, or the first of the agents inside it (see [Wrapper]) that is a T, and whether there is one.
func As[T any](agent Agent) (T, bool) {
	for range maxWrappers {
		if isNil(agent) {
			break
		}
		if found, ok := agent.(T); ok {
			return found, true
		}
		w, ok := agent.(Wrapper)
		if !ok {
			break
		}
		agent = w.Unwrap()
	}
	var none T
	return none, false
}

// maxWrappers is how many wrappers an agent, or a manager, may have around it.
const maxWrappers = 64

// unwrap returns the agent inside all wrappers; nil if there is none.
func unwrap(a Agent) Agent {
	for range maxWrappers {
		w, ok := a.(Wrapper)
		if !ok || isNil(a) {
			return a
		}
		a = w.Unwrap()
	}
	return nil
}

// wrappersOf are the wrappers of a, the outermost first. One too many is a mistake that validateAgent reports.
func wrappersOf(a Agent) []Wrapper {
	var list []Wrapper
	for len(list) <= maxWrappers {
		w, ok := a.(Wrapper)
		if !ok || isNil(a) {
			break
		}
		list = append(list, w)
		a = w.Unwrap()
	}
	return list
}
