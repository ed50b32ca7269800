package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/agui-gateway/gateway/agui"
)

// What a model is told of a tool that came to nothing.
const (
	toolFailed  = "The tool failed."
	toolTooLate = "The tool took too long."
	// toolCancelled is what a tool came to that asked a person, who cancelled its question.
	toolCancelled = "The user cancelled the question."
	toolLost      = "The tool was interrupted. What it did is not known, and it was not called again."
)

var (
	errToolTooLate = errors.New("groupchat: the tool took too long")
	errToolLost    = &ToolError{Text: toolLost, Err: errors.New("its result was lost, and it may not be repeated")}
)

// begunKey ends the keys under which calls that may not be repeated are recorded before they are made.
const begunKey = "/begun"

// call makes a call and records what it came to.
func (r *llmRun) call(ctx context.Context, tool *Tool, key string, c ToolCall) settledCall {
	return r.once(key, func() (ToolResult, error) {
		if tool.Repeat == RepeatNever {
			first := false
			_, err := Once(r.t, key+begunKey, func() (bool, error) {
				first = true
				return true, nil
			})
			if err != nil {
				return ToolResult{}, err
			}
			if !first {
				return r.failed(ctx, tool, errToolLost)
			}
		}
		if err := Fence(ctx); err != nil {
			return ToolResult{}, err
		}
		result, err := r.limited(ctx, tool, c)
		if ctx.Err() != nil {
			return ToolResult{}, context.Cause(ctx) // what it returned now says nothing of the call
		}
		if err != nil {
			return r.failed(ctx, tool, err)
		}
		return tool.clip(result), nil
	})
}

// limited makes a call that may take no longer than it is allowed to.
func (r *llmRun) limited(ctx context.Context, tool *Tool, c ToolCall) (ToolResult, error) {
	limit := cmp.Or(tool.Timeout, r.ToolTimeout, llmToolTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errToolTooLate)
	defer cancel()
	type outcome struct {
		result ToolResult
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = protect(func() (err error) {
			o.result, err = tool.Call(ctx, c)
			return err
		})
		ended <- o
	}()
	select {
	case o := <-ended:
		if o.err != nil && ctx.Err() != nil {
			o.err = context.Cause(ctx)
		}
		return o.result, o.err
	case <-ctx.Done():
		return ToolResult{}, context.Cause(ctx) // it is left behind: it has nothing of the run's to write to
	}
}

// enter lets a tool work in the turn. What it came to is remembered with the turn and, like what it did to the state, not
// beyond: a takeover enters it again.
func (r *llmRun) enter(ctx context.Context, tool *Tool, s *llmStep, i int, c ToolCall) settledCall {
	memo := "done/" + s.callKey(i)
	if raw, ok := r.t.memo(memo); ok {
		var result ToolResult
		if err := json.Unmarshal(raw, &result); err != nil {
			return settledCall{err: r.t.x.fatal(fail(agui.CodeCheckpointIncompatible, "%s: %s: %w", r.t.Path(), memo, err))}
		}
		return settledCall{result: &result}
	}
	result, err := r.work(ctx, tool, s, i, c)
	switch {
	case pauseOf(err) != nil, errors.Is(err, errNotReturned), err != nil && (ctx.Err() != nil || r.t.x.endCause() != nil):
		return settledCall{err: err}
	case err != nil:
		metadata := result.Metadata
		result, err = r.failed(ctx, tool, err)
		result.Metadata = metadata
	default:
		result = tool.clip(result)
	}
	if err != nil {
		return settledCall{result: &result, err: err}
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return settledCall{err: err}
	}
	r.t.remember(memo, raw)
	return settledCall{result: &result}
}

// failed is what a failure of a tool's means: a result that says so, and an error if the turn is to fail.
func (r *llmRun) failed(ctx context.Context, tool *Tool, err error) (ToolResult, error) {
	text := toolFailed
	if told, ok := errors.AsType[*ToolError](err); ok && told.Text != "" {
		text = clip(told.Text, tool.most())
	} else if errors.Is(err, errToolTooLate) {
		text = toolTooLate
	}
	log := r.t.x.Log.With("turn", r.t.ID(), "tool", tool.Name, "error", err)
	if p, ok := errors.AsType[*PanicError](err); ok {
		log = log.With("stack", string(p.Stack))
	}
	log.WarnContext(ctx, "groupchat: tool failed")
	if tool.OnError == ToolFails {
		return TextResult(text), &agui.Error{Code: agui.CodeToolFailed, Err: err}
	}
	return TextResult(text), nil
}

// toolMaxResult is the default of Tool.MaxResult.
const toolMaxResult = 64 << 10

func (t *Tool) most() int {
	if t.MaxResult > 0 {
		return t.MaxResult
	}
	return toolMaxResult
}

// clip leaves of a result what may be kept of it. One that says nothing says so: "" is a text.
func (t *Tool) clip(result ToolResult) ToolResult {
	if result.Content.IsZero() {
		result.Content = agui.TextContent("")
	}
	raw, err := result.Content.MarshalJSON()
	if _, parts := result.Content.Parts(); err == nil && (!parts || len(raw) <= t.most()) && len(result.Content.Text()) <= t.most() {
		return result
	}
	result.Content = agui.TextContent(clip(result.Content.Text(), t.most()) + "\n[The rest was left out.]")
	return result
}
