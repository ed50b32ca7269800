package groupchat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// A trail notes what hooks were called around, in order.
type trail struct {
	mu    sync.Mutex
	notes []string
}

func (n *trail) add(note string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = append(n.notes, note)
}

// hooks note, under a name, all that they are called around.
func (n *trail) hooks(name string) Hooks {
	turn := func(what string) turnHook {
		return func(ctx context.Context, t *Turn, next func(context.Context) error) error {
			n.add(name + " " + what + " " + t.Path())
			err := next(ctx)
			n.add(name + " /" + what + " " + t.Path())
			return err
		}
	}
	return Hooks{
		Name: name, Run: turn("run"), Turn: turn("turn"),
		Model: func(ctx context.Context, c ModelCall, next ModelFunc) (model.Reply, error) {
			n.add(name + " " + string(c.Purpose) + " " + c.Turn.Path())
			return next(ctx, c)
		},
		Tool: func(ctx context.Context, u ToolUse, next ToolFunc) (tools.Result, error) {
			n.add(name + " tool " + u.Tool.Name)
			return next(ctx, u)
		},
	}
}

// callsOnce is a model that calls the tool look and then says done.
func callsOnce(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	if r.Messages[len(r.Messages)-1].Role == agui.RoleTool {
		return model.Reply{Text: "done: " + r.Messages[len(r.Messages)-1].Text}, nil
	}
	return model.Reply{Calls: []model.Call{{Name: "look", Arguments: "{}"}}}, nil
}

func lookTool(result string, err error) Tool {
	return Tool{Name: "look", Call: func(context.Context, ToolCall) (tools.Result, error) { return tools.Text(result), err }}
}

func TestHooksOfAnOuterAgentAreAroundThoseOfAnInner(t *testing.T) {
	var n trail
	agent := &LLM{Model: model.Func(callsOnce), Tools: []Tool{lookTool("42", nil)}}
	team := &Chat{Manager: Sequential(), Participants: []Participant{{Name: "writer", Agent: WithHooks(agent, n.hooks("inner"))}}}
	r := newRig(t, WithHooks(team, n.hooks("outer")))
	must(t, r.say("go").err)
	equal(t, "hooks", strings.Join(n.notes, "\n"), strings.TrimSpace(`
outer run 
outer turn 
outer turn writer
inner turn writer
outer reply writer
inner reply writer
outer tool look
inner tool look
outer reply writer
inner reply writer
inner /turn writer
outer /turn writer
outer /turn 
outer /run`)+" ")
}

func TestAHookChangesAnswersAndRefuses(t *testing.T) {
	refusal := &errcode.Error{Code: errcode.GuardrailRefused, Err: errors.New("not that")}
	for name, tt := range map[string]struct {
		hooks Hooks
		says  string
		code  errcode.Code
	}{
		"a model's reply is changed": {hooks: Hooks{Model: func(ctx context.Context, c ModelCall, next ModelFunc) (model.Reply, error) {
			reply, err := next(ctx, c)
			reply.Text = strings.ToUpper(reply.Text)
			return reply, err
		}}, says: "DONE: 42"},
		"a model is not asked": {hooks: Hooks{Model: func(context.Context, ModelCall, ModelFunc) (model.Reply, error) {
			return model.Reply{Text: "from the cache"}, nil
		}}, says: "from the cache"},
		"a result is changed": {hooks: Hooks{Tool: func(ctx context.Context, u ToolUse, next ToolFunc) (tools.Result, error) {
			_, err := next(ctx, u)
			return tools.Text("43"), err
		}}, says: "done: 43"},
		"a tool is refused, and the model is told why": {hooks: Hooks{Tool: func(context.Context, ToolUse, ToolFunc) (tools.Result, error) {
			return tools.Result{}, &tools.Error{Text: "Not on Sundays."}
		}}, says: "done: Not on Sundays."},
		"a tool is refused for good": {hooks: Hooks{Tool: func(context.Context, ToolUse, ToolFunc) (tools.Result, error) {
			return tools.Result{}, refusal
		}}, code: errcode.GuardrailRefused},
		"a model is refused": {hooks: Hooks{Model: func(context.Context, ModelCall, ModelFunc) (model.Reply, error) {
			return model.Reply{}, refusal
		}}, code: errcode.GuardrailRefused},
		"a turn is refused": {hooks: Hooks{Turn: func(context.Context, *Turn, func(context.Context) error) error {
			return refusal
		}}, code: errcode.GuardrailRefused},
		"a run is refused": {hooks: Hooks{Run: func(context.Context, *Turn, func(context.Context) error) error {
			return refusal
		}}, code: errcode.GuardrailRefused},
		"a turn is answered": {hooks: Hooks{Turn: func(_ context.Context, t *Turn, _ func(context.Context) error) error {
			return SayOnce(t, "closed", "We are closed.")
		}}, says: "We are closed."},
		"a stream is changed": {hooks: Hooks{Stream: func(*Turn) run.Filter {
			return func(e agui.Event, next run.Emit) error {
				if c, ok := e.(*agui.TextMessageContent); ok {
					c.Delta = strings.ReplaceAll(c.Delta, "42", "**")
				}
				return next(e)
			}
		}}, says: "done: **"},
		"a hook of a run panics":    {hooks: Hooks{Run: func(context.Context, *Turn, func(context.Context) error) error { panic("run") }}, code: errcode.HookFailed},
		"a hook of a turn panics":   {hooks: Hooks{Turn: func(context.Context, *Turn, func(context.Context) error) error { panic("turn") }}, code: errcode.HookFailed},
		"a hook of a model panics":  {hooks: Hooks{Model: func(context.Context, ModelCall, ModelFunc) (model.Reply, error) { panic("model") }}, code: errcode.HookFailed},
		"a hook of a tool panics":   {hooks: Hooks{Tool: func(context.Context, ToolUse, ToolFunc) (tools.Result, error) { panic("tool") }}, code: errcode.HookFailed},
		"a hook of a stream panics": {hooks: Hooks{Stream: func(*Turn) run.Filter { panic("stream") }}, code: errcode.HookFailed},
		"a filter panics": {hooks: Hooks{Stream: func(*Turn) run.Filter {
			return func(agui.Event, run.Emit) error { panic("filter") }
		}}, code: errcode.HookFailed},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, WithHooks(&LLM{Model: model.Func(callsOnce), Tools: []Tool{lookTool("42", nil)}}, tt.hooks))
			out := r.say("go")
			if tt.code != "" {
				equal(t, "code", errcode.Of(out.err), tt.code)
				return
			}
			must(t, out.err)
			equal(t, "says", r.messages[len(r.messages)-1].Content.Text(), tt.says)
		})
	}
}

// TestAPausedTurnPassesItsHooksAgain, and its hooks are not in its checkpoint.
func TestAPausedTurnPassesItsHooksAgain(t *testing.T) {
	var n trail
	asks := AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.Ask(Question{Key: "size", Message: "Which size?"})
		if err != nil {
			return err
		}
		return SayOnce(t, "size", string(a.Payload))
	})
	r := newRig(t, &Chat{Manager: Sequential(), Participants: []Participant{{Name: "clerk", Agent: WithHooks(asks, n.hooks("h"))}}})
	must(t, r.say("go").err)
	equal(t, "questions", len(r.open), 1)
	n.notes = nil
	must(t, r.answer(map[string]string{"size": `"L"`}).err)
	equal(t, "hooks", strings.Join(n.notes, ", "), "h turn clerk, h /turn clerk")
	equal(t, "says", r.messages[len(r.messages)-1].Content.Text(), `"L"`)
}

func TestWhoseFailureAnErrorIs(t *testing.T) {
	for code, want := range map[errcode.Code]bool{
		errcode.ModelUnavailable: true, errcode.ModelAuth: true, errcode.ModelRequest: true, errcode.ModelResponse: true,
		errcode.ModelContentFilter: true, errcode.ModelContextLength: true,
		errcode.GuardrailRefused: false, errcode.BudgetExceeded: false, errcode.HookFailed: false, errcode.AgentFailed: false, errcode.RunMoved: false,
	} {
		if got := failure.OfModel(&errcode.Error{Code: code, Err: errors.New("x")}); got != want {
			t.Errorf("ModelFailed(%s) = %v, want %v", code, got, want)
		}
	}
	if failure.OfModel(nil) || failure.OfModel(context.Canceled) {
		t.Error("the end of a run is taken for a model's failure")
	}
}
