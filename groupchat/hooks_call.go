package groupchat

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// guarded calls a hook. Its panic is a separate error.
func (h *Hooks) guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &errcode.Error{Code: errcode.HookFailed,
				Err: fmt.Errorf("hooks %q: %w", h.Name, &PanicError{Value: v, Stack: debug.Stack()})}
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
func useTool(ctx context.Context, u ToolUse, call ToolFunc) (ToolResult, error) {
	next := call
	for i := len(u.Turn.hooks) - 1; i >= 0; i-- {
		h, inner := &u.Turn.hooks[i], next
		if h.Tool == nil {
			continue
		}
		next = func(ctx context.Context, u ToolUse) (result ToolResult, err error) {
			err = h.guarded(func() (err error) {
				result, err = h.Tool(ctx, u, inner)
				return err
			})
			return result, err
		}
	}
	return next(ctx, u)
}

// endsTurn reports whether the error of a call of a tool fails the turn, whatever the tool's policy says.
func endsTurn(err error) bool {
	e, ok := errors.AsType[*errcode.Error](err)
	if !ok {
		return false
	}
	switch e.Code {
	case errcode.HookFailed, errcode.GuardrailRefused, errcode.BudgetExceeded:
		return true
	default:
		return false
	}
}
