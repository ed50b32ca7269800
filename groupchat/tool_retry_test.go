package groupchat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// flaky is a tool that fails with each of errs, and then does its work; keys are those it was called with.
func flaky(retry tools.Retry, keys *[]string, errs ...error) Tool {
	return Tool{Name: "look", Retry: retry, Call: func(_ context.Context, c ToolCall) (tools.Result, error) {
		*keys = append(*keys, c.Key)
		if n := len(*keys); n <= len(errs) {
			return tools.Text("half"), errs[n-1]
		}
		return tools.Text("42"), nil
	}}
}

func TestACallThatCameToNoAnswerIsMadeAgain(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	quick := func(n int) tools.Retry { return tools.Retry{Times: n, Backoff: -1} }
	for name, tt := range map[string]struct {
		retry  tools.Retry
		change func(*Tool)
		errs   []error
		calls  int
		says   string
	}{
		"without retries":            {errs: []error{away}, calls: 1, says: "done: The tool failed."},
		"the second one answers":     {retry: quick(2), errs: []error{away}, calls: 2, says: "done: 42"},
		"the last one answers":       {retry: quick(2), errs: []error{away, away}, calls: 3, says: "done: 42"},
		"all fail":                   {retry: quick(2), errs: []error{away, away, away}, calls: 3, says: "done: The tool failed."},
		"the tool's own answer":      {retry: quick(2), errs: []error{&tools.Error{Text: "No such book."}}, calls: 1, says: "done: No such book."},
		"what only looks like one":   {retry: quick(2), errs: []error{&tools.Error{Text: "Away.", Temporary: true}}, calls: 2, says: "done: 42"},
		"one that may not be made":   {retry: quick(2), change: func(t *Tool) { t.Repeat = tools.RepeatNever }, errs: []error{away}, calls: 1, says: "done: The tool failed."},
		"one that ends the turn":     {retry: quick(2), errs: []error{&errcode.Error{Code: errcode.GuardrailRefused}}, calls: 1},
		"one that is to fail a turn": {retry: quick(1), change: func(t *Tool) { t.OnError = tools.Fails }, errs: []error{away}, calls: 2, says: "done: 42"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var keys []string
			tool := flaky(tt.retry, &keys, tt.errs...)
			if tt.change != nil {
				tt.change(&tool)
			}
			hooked := 0
			hooks := Hooks{Tool: func(ctx context.Context, u ToolUse, next ToolFunc) (tools.Result, error) {
				hooked++
				return next(ctx, u)
			}}
			r := newRig(t, WithHooks(&LLM{Model: model.Func(callsOnce), Tools: []Tool{tool}}, hooks))
			out := r.say("go")
			equal(t, "calls", len(keys), tt.calls)
			equal(t, "keys", len(slices.Compact(keys)), 1)
			equal(t, "hooks see", hooked, 1)
			if tt.says == "" {
				equal(t, "code", errcode.Of(out.err), errcode.GuardrailRefused)
				return
			}
			must(t, out.err)
			equal(t, "says", r.messages[len(r.messages)-1].Content.Text(), tt.says)
		})
	}
}

// TestAPanicIsNotTriedAgain: the same call would panic again.
func TestAPanicIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	calls := 0
	tool := Tool{Name: "look", Retry: tools.Retry{Times: 3, Backoff: -1}, Call: func(context.Context, ToolCall) (tools.Result, error) {
		calls++
		panic("no")
	}}
	r := newRig(t, &LLM{Model: model.Func(callsOnce), Tools: []Tool{tool}})
	must(t, r.say("go").err)
	equal(t, "calls", calls, 1)
}

// TestNoFurtherTryOfAStoppedRun, nor of one that another process has.
func TestNoFurtherTryOfAStoppedRun(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for name, how := range map[string]func(context.CancelCauseFunc, *Tool){
		"while it is called": func(stop context.CancelCauseFunc, tool *Tool) {
			call := tool.Call
			tool.Call = func(ctx context.Context, c ToolCall) (tools.Result, error) {
				stop(stopped)
				return call(ctx, c)
			}
		},
		"while it waits": func(stop context.CancelCauseFunc, tool *Tool) {
			tool.Retry.Backoff = time.Hour
			call := tool.Call
			tool.Call = func(ctx context.Context, c ToolCall) (tools.Result, error) {
				time.AfterFunc(time.Second, func() { stop(stopped) })
				return call(ctx, c)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var keys []string
				tool := flaky(tools.Retry{Times: 5, Backoff: -1}, &keys, errors.New("away"))
				ctx, stop := context.WithCancelCause(t.Context())
				how(stop, &tool)
				r := newRig(t, &LLM{Model: model.Func(callsOnce), Tools: []Tool{tool}})
				r.ctx = ctx
				if out := r.say("go"); !errors.Is(out.err, stopped) {
					t.Errorf("the run ends with %v, want the cause of its end", out.err)
				}
				synctest.Wait() // a call that ignores its end is not waited for
				equal(t, "calls", len(keys), 1)
			})
		})
	}

	var keys []string
	ctx, moved := context.WithCancelCause(t.Context())
	r := newRig(t, &LLM{Model: model.Func(callsOnce), Tools: []Tool{flaky(tools.Retry{Times: 5, Backoff: -1}, &keys, errors.New("away"))}})
	r.ctx = ctx
	r.messages = append(r.messages, Message{ID: "u", Role: "user"})
	out := r.run(Session{Fence: func(ctx context.Context) error {
		if len(keys) > 0 {
			moved(ErrMoved)
		}
		return context.Cause(ctx)
	}})
	if !errors.Is(out.err, ErrMoved) || len(keys) != 1 {
		t.Errorf("the run ends with %v after %d calls, want that it has moved after one", out.err, len(keys))
	}
}

func TestRetriesThatCannotBe(t *testing.T) {
	t.Parallel()
	turn := func(context.Context, *Turn, ToolCall) (tools.Result, error) { return tools.Result{}, nil }
	for want, tool := range map[string]Tool{
		"-1 times":                   {Name: "a", Retry: tools.Retry{Times: -1}, Call: lookTool("", nil).Call},
		"11 times":                   {Name: "a", Retry: tools.Retry{Times: 11}, Call: lookTool("", nil).Call},
		"not called again by itself": {Name: "a", Retry: tools.Retry{Times: 1}, Turn: turn},
	} {
		if err := tool.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q", err, want)
		}
	}
}
