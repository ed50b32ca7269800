package groupchat

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
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
	// Turn is called around each try of a turn. A [*ask.Pause] that next returns has to be returned.
	Turn func(ctx context.Context, t *Turn, next func(context.Context) error) error
	// Model is called around each call of a model, also by managers. A hook that changes what the model says has to see
	// to both: the deltas that clients are shown (ModelCall.On) and the reply.
	Model func(ctx context.Context, c ModelCall, next ModelFunc) (model.Reply, error)
	// Tool is called around each call of a tool of the server, after a person has approved of it. An error means for
	// the model what one of the tool's would, see [tools.Error]; one with the code hook_failed, guardrail_refused or
	// budget_exceeded fails the turn.
	Tool func(ctx context.Context, c ToolUse, next ToolFunc) (tools.Result, error)
	// Stream is called when a try of a turn begins, and returns a filter of its events on their way to people, or nil.
	// Changes are made for clients and in the stored conversation, and so for later readers; the model of this very
	// turn keeps its own words, and they are recorded unchanged, too (see Model for those). All events for people see
	// passes once: what a model or the agent says and thinks, calls with their arguments and results, events of the
	// agent's own, the last words of an agent that worked out of sight. State, steps, the begin and the end of
	// invocations, and questions (which Turn sees in the [*ask.Pause]) do not. When the turn ends, also by a failure,
	// the filter receives the ends of open messages and calls.
	Stream func(t *Turn) run.Filter
}

// A ModelCall is one call of a model that is about to be made.
type ModelCall struct {
	Turn    *Turn // nil for a manager that is asked outside of a run
	Purpose model.Purpose
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
type ToolFunc func(ctx context.Context, u ToolUse) (tools.Result, error)

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
		if err == nil || ask.PauseOf(err) != nil {
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

// guarded calls a hook. Its panic is a separate error.
func (h *Hooks) guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &errcode.Error{Code: errcode.HookFailed,
				Err: fmt.Errorf("hooks %q: %w", h.Name, &failure.Panic{Value: v, Stack: debug.Stack()})}
		}
	}()
	return f()
}

// underTurnHooks runs agent in t, inside of the hooks of turns.
func (t *Turn) underTurnHooks(ctx context.Context, hooks []Hooks, agent Agent) error {
	return t.under(ctx, hooks, func(h *Hooks) turnHook { return h.Turn }, func(ctx context.Context) error {
		t.ctx = ctx
		return t.work(agent)
	})
}

// underRunHooks calls f with the hooks of runs around it.
func (t *Turn) underRunHooks(ctx context.Context, hooks []Hooks, f func(context.Context) error) error {
	return t.under(ctx, hooks, func(h *Hooks) turnHook { return h.Run }, f)
}

// A turnHook is Hooks.Run or Hooks.Turn.
type turnHook = func(ctx context.Context, t *Turn, next func(context.Context) error) error

func (t *Turn) under(ctx context.Context, hooks []Hooks, which func(*Hooks) turnHook,
	f func(context.Context) error) error {
	next := f
	for i := len(hooks) - 1; i >= 0; i-- {
		h := &hooks[i]
		hook, inner := which(h), next
		if hook == nil {
			continue
		}
		next = func(ctx context.Context) error {
			return h.guarded(func() error { return hook(ctx, t, inner) })
		}
	}
	return next(ctx)
}

// callModel makes a call of a model with all hooks that hold in its turn around it, and the telemetry inside of them.
// The reply is there also beside an error, as far as there is one. It is returned by pointer, and calls avoid needless
// frames, because the stacks of all runs hold them while models think.
func callModel(ctx context.Context, c *ModelCall) (*model.Reply, error) {
	if c.Turn == nil || !slices.ContainsFunc(c.Turn.hooks, func(h Hooks) bool { return h.Model != nil }) {
		return observeModel(ctx, c)
	}
	return underModelHooks(ctx, c)
}

// underModelHooks is callModel in a turn with hooks of models.
func underModelHooks(ctx context.Context, c *ModelCall) (*model.Reply, error) {
	next := ModelFunc(func(ctx context.Context, c ModelCall) (model.Reply, error) {
		reply, err := observeModel(ctx, &c)
		return *reply, err
	})
	for i := len(c.Turn.hooks) - 1; i >= 0; i-- {
		h, inner := &c.Turn.hooks[i], next
		if h.Model == nil {
			continue
		}
		next = func(ctx context.Context, c ModelCall) (reply model.Reply, err error) {
			err = h.guarded(func() (err error) {
				reply, err = h.Model(ctx, c, inner)
				return err
			})
			return reply, err
		}
	}
	reply, err := next(ctx, *c)
	return &reply, err
}

// useTool makes a call of a tool with all hooks that hold in the turn around it.
func useTool(ctx context.Context, u ToolUse, call ToolFunc) (tools.Result, error) {
	next := call
	for i := len(u.Turn.hooks) - 1; i >= 0; i-- {
		h, inner := &u.Turn.hooks[i], next
		if h.Tool == nil {
			continue
		}
		next = func(ctx context.Context, u ToolUse) (result tools.Result, err error) {
			err = h.guarded(func() (err error) {
				result, err = h.Tool(ctx, u, inner)
				return err
			})
			return result, err
		}
	}
	return next(ctx, u)
}
