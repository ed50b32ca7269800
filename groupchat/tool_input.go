package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// A ToolInput is what a person answered to a call's [tools.InputNeeded].
type ToolInput struct {
	ask.Answer
	// State is that of the question.
	State json.RawMessage
}

// maxToolInputs is how often a tool may ask for one call.
const maxToolInputs = 16

// inputKey begins the keys of questions of tools.
const inputKey = "input/"

// call makes a call and records its result. What the tool needs to know before is asked.
func (r *llmRun) call(ctx context.Context, tool *Tool, key string, c ToolCall) settledCall {
	for n := range maxToolInputs {
		q, err := r.inputAsked(key, n)
		if err != nil {
			return settledCall{err: err}
		}
		if q == nil {
			settled := r.callOnce(ctx, tool, key, c)
			needed, ok := errors.AsType[*tools.InputNeeded](settled.err)
			if !ok {
				return settled
			}
			q = needed
			if err := r.noteInput(key, n, q); err != nil {
				return settledCall{err: err}
			}
		}
		answer, pause, err := r.t.ask(Question{Key: inputKey + key + "/" + strconv.Itoa(n), Message: q.Message,
			Schema: q.Schema, By: q.By})
		switch {
		case err != nil:
			return settledCall{err: err}
		case pause != nil:
			return settledCall{err: pause}
		}
		c.Inputs = append(c.Inputs, ToolInput{answer, q.State})
	}
	return r.once(key, func() (tools.Result, error) {
		return r.failed(ctx, tool,
			&tools.Error{Text: "The tool asked too often.", Err: errors.New("it asked 16 times for one call")})
	})
}

// inputAsked is the nth question of the call of a key, from 0; nil if it was not asked.
func (r *llmRun) inputAsked(key string, n int) (*tools.InputNeeded, error) {
	memo := inputKey + key + "/" + strconv.Itoa(n)
	raw, ok := r.t.memo(memo)
	if !ok {
		return nil, nil
	}
	q := &tools.InputNeeded{}
	if err := json.Unmarshal(raw, q); err != nil {
		return nil, r.t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %s: %w", r.t.Path(), memo, err))
	}
	return q, nil
}

// noteInput keeps a question, so that a turn that is entered again asks it without another call.
func (r *llmRun) noteInput(key string, n int, q *tools.InputNeeded) error {
	raw, err := json.Marshal(q)
	if err != nil {
		return err
	}
	r.t.remember(inputKey+key+"/"+strconv.Itoa(n), raw)
	return nil
}

// askedInput reports whether the tool has asked for the call of a key.
func (r *llmRun) askedInput(key string) bool {
	_, asked := r.t.memo(inputKey + key + "/0")
	return asked
}

// tries makes a call as often as the tool's retries say, each time as a separate step.
func (r *llmRun) tries(ctx context.Context, tool *Tool, c ToolCall) (tools.Result, error) {
	for n := 1; ; n++ {
		result, err := observeTool(ctx, ToolUse{Turn: r.t, Tool: tool, Call: c},
			func(ctx context.Context, u ToolUse) (tools.Result, error) {
				return r.limited(ctx, u.Tool, u.Call)
			})
		if n > tool.Retry.Times || ctx.Err() != nil || !tool.again(err) {
			return result, err
		}
		r.t.x.Log.WarnContext(ctx, "groupchat: a call of a tool is made again", "turn", r.t.ID(), "tool", tool.Name,
			"try", n+1, "error", err)
		if !(failure.Policy{Backoff: tool.Retry.Backoff}).Wait(ctx, n) {
			return tools.Result{}, context.Cause(ctx)
		}
		if err := Fence(ctx); err != nil {
			return tools.Result{}, err
		}
	}
}

// again reports whether a call that ended with err has no answer, and may be made again.
func (t *Tool) again(err error) bool {
	if err == nil || t.Repeat != tools.RepeatAgain || errcode.EndsTurn(err) {
		return false
	}
	if failure, ok := errors.AsType[*tools.Error](err); ok && !failure.Temporary {
		return false
	}
	_, panicked := errors.AsType[*failure.Panic](err)
	_, asks := errors.AsType[*tools.InputNeeded](err)
	return !panicked && !asks
}

// checkRetry reports mistakes in the tool's retries.
func (t *Tool) checkRetry(bad func(format string, args ...any)) {
	switch {
	case t.Retry.Times < 0 || t.Retry.Times > tools.MaxRetries:
		bad("may be called again %d times, want 0 to %d", t.Retry.Times, tools.MaxRetries)
	case t.Retry.Times > 0 && t.Turn != nil:
		bad("works in the turn, and is not called again by itself")
	}
}

// arguments are those of a call as the tool gets them, or their mistake in words for the model.
func (t *Tool) arguments(written string) (json.RawMessage, error) {
	if strings.TrimSpace(written) == "" {
		written = "{}" // what models write that have nothing to say
	}
	if !schema.IsObject(written) {
		return nil, errors.New(noObject)
	}
	raw := json.RawMessage(written)
	s, err := schema.Cached(t.Parameters)
	if err != nil {
		return nil, errors.New("the tool has no valid schema")
	}
	return raw, s.Check(raw)
}

// noObject is the mistake of arguments that are not even JSON.
const noObject = "they are not a JSON object"

// mistakeText describes a mistake in arguments for the model.
func mistakeText(problem string) string {
	return "The tool was not called, because its arguments are wrong: " + problem + "."
}
