package groupchat

import (
	"context"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// Hooks are called around the actions of agents. Each receives the action, and next, which performs it: a hook may look
// at both ends, change input and output, answer without calling next, or refuse with an error. Members that are nil do
// nothing. Hooks are shared by all runs and are called by several goroutines at once.
//
// Those of the whole service come first (Session.Hooks, gateway.Options.Hooks), then those that [WithHooks] gives to an
// agent, the outermost agent first; they hold for everything that is done in that agent's turn, in nested teams and by
// agents that are tools too.
//
// A turn that is entered again, after a pause or a takeover, passes Run and Turn again, like the agent's own code; what
// a hook does in the world belongs into [Once]. Model and Tool are not called for a reply or a result that is recorded
// already.
//
// An error with a code (package errcode) ends what it refused with that code. A hook that panics fails the turn with
// hook_failed. A run that is stopped does not wait for a hook that ignores its context longer than for an agent that
// does.
type Hooks struct {
	// Name is what the log calls the hooks.
	Name string
	// Run is called around a whole run, or the part of it that one request began: of the service's hooks, and of those
	// of the thread's own agent.
	Run func(ctx context.Context, t *Turn, next func(context.Context) error) error
	// Turn is called around each try of a turn. A [*Pause] that next returns has to be returned.
	Turn func(ctx context.Context, t *Turn, next func(context.Context) error) error
	// Model is called around each call of a model, also by managers. A hook that changes what the model says has to see
	// to both: the deltas that clients are shown (ModelCall.On) and the reply.
	Model func(ctx context.Context, c ModelCall, next ModelFunc) (model.Reply, error)
	// Tool is called around each call of a tool of the server, after a person has approved of it. An error means for
	// the model what one of the tool's would, see [ToolError]; one with the code hook_failed, guardrail_refused or
	// budget_exceeded fails the turn.
	Tool func(ctx context.Context, c ToolUse, next ToolFunc) (ToolResult, error)
	// Stream is called when a try of a turn begins, and returns a filter of its events on their way to people, or nil.
	// Changes are made for clients and in the stored conversation, and so for later readers; the model of this very
	// turn keeps its own words, and they are recorded unchanged, too (see Model for those). All events for people see
	// passes once: what a model or the agent says and thinks, calls with their arguments and results, events of the
	// agent's own, the last words of an agent that worked out of sight. State, steps, the begin and the end of
	// invocations, and questions (which Turn sees in the [*Pause]) do not. When the turn ends, also by a failure, the
	// filter receives the ends of open messages and calls.
	Stream func(t *Turn) run.Filter
}

// A ModelPurpose says what a model is called for.
type ModelPurpose string

// The purposes of calls of models.
const (
	ForReply   ModelPurpose = "reply"   // what an agent says next
	ForChoice  ModelPurpose = "choice"  // who speaks next
	ForPlan    ModelPurpose = "plan"    // the facts, the plan and the progress of a manager that plans
	ForSummary ModelPurpose = "summary" // a summary of a conversation
	ForGuard   ModelPurpose = "guard"   // whether a guardrail lets something pass
	ForOther   ModelPurpose = "other"   // anything else, such as suggestions
)

// A ModelCall is one call of a model that is about to be made.
type ModelCall struct {
	Turn    *Turn // nil for a manager that is asked outside of a run
	Purpose ModelPurpose
	Model   model.Model
	Request model.Request // its slices are shared: a hook changes copies
	On      model.Deltas
}

// A ModelFunc makes a call of a model.
type ModelFunc func(ctx context.Context, c ModelCall) (model.Reply, error)

// A ToolUse is one call of a tool that is about to be made.
type ToolUse struct {
	Turn *Turn
	Tool *Tool // as the agent has it; it must not be changed
	Call ToolCall
}

// A ToolFunc makes a call of a tool.
type ToolFunc func(ctx context.Context, u ToolUse) (ToolResult, error)

// WithHooks returns agent with hooks, the first one outermost. It has the same turns: a checkpoint with hooks continues
// without, and the other way round.
func WithHooks(agent Agent, hooks ...Hooks) Agent { return &hooked{agent, hooks} }

type hooked struct {
	agent Agent
	hooks []Hooks
}

// Run lets the agent take t under its hooks.
func (h *hooked) Run(ctx context.Context, t *Turn) error {
	if isNil(h.agent) {
		return fail(errcode.Internal, "%s: has hooks and no agent", t.Path())
	}
	in := t.same()
	in.hooks = append(in.hooks[:len(in.hooks):len(in.hooks)], h.hooks...)
	unfilter := in.filter(h.hooks)
	work := func(ctx context.Context) error {
		err := in.underTurnHooks(ctx, h.hooks, h.agent)
		if err == nil || pauseOf(err) != nil {
			if flushErr := unfilter(); flushErr != nil {
				return flushErr
			}
		}
		return err
	}
	if t.up == nil {
		return in.underRunHooks(ctx, h.hooks, work)
	}
	return work(ctx)
}

// Unwrap is the agent that takes the turn.
func (h *hooked) Unwrap() Agent { return h.agent }

func (h *hooked) check(bad func(format string, args ...any)) {
	if isNil(h.agent) {
		bad("has hooks and no agent")
	}
}

// WithHooksOf returns agent with the hooks that [WithHooks] gave to of, without its other wrappers: for actions in
// of's name and is not its turn.
func WithHooksOf(of, agent Agent) Agent {
	wrappers := wrappersOf(of)
	for i := len(wrappers) - 1; i >= 0; i-- {
		if h, ok := wrappers[i].(*hooked); ok {
			agent = &hooked{agent, h.hooks}
		}
	}
	return agent
}
