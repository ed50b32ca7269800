package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/model"
)

// Notes for the model on calls without a result.
const (
	toolFailed  = "The tool failed."
	toolTooLate = "The tool took too long."
	// toolCancelled is for a call with a question that a person cancelled.
	toolCancelled = "The user cancelled the question."
	toolLost      = "The tool was interrupted. What it did is not known, and it was not called again."
)

var (
	errToolTooLate = errors.New("groupchat: the tool took too long")
	errToolLost    = &tools.Error{Text: toolLost, Err: errors.New("its result was lost, and it may not be repeated")}
)

// begunKey ends the keys under which calls that may not be repeated are recorded before they are made.
const begunKey = "/begun"

func (r *llmRun) callOnce(ctx context.Context, tool *Tool, key string, c ToolCall) settledCall {
	return r.once(key, func() (tools.Result, error) {
		result, err := r.callNow(ctx, tool, key, c)
		return c.mark.On(result), err
	})
}

func (r *llmRun) callNow(ctx context.Context, tool *Tool, key string, c ToolCall) (tools.Result, error) {
	if tool.Repeat == tools.RepeatNever {
		first := false
		_, err := Once(r.t, begunKeyOf(key, len(c.Inputs)), func() (bool, error) {
			first = true
			return true, nil
		})
		if err != nil {
			return tools.Result{}, err
		}
		if !first {
			return r.failed(ctx, tool, errToolLost)
		}
	}
	if err := Fence(ctx); err != nil {
		return tools.Result{}, err
	}
	result, err := useTool(ctx, ToolUse{Turn: r.t, Tool: tool, Call: c},
		func(ctx context.Context, u ToolUse) (tools.Result, error) {
			return r.tries(ctx, tool, u.Call)
		})
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx) // what it returned now says nothing of the call
	}
	if _, asks := errors.AsType[*tools.InputNeeded](err); asks {
		return tools.Result{}, err
	}
	if err != nil {
		return r.failed(ctx, tool, err)
	}
	return tool.clip(result), nil
}

// begunKeyOf is where it is recorded that a call was begun, for each time that it is made with more answers.
func begunKeyOf(key string, inputs int) string {
	if inputs == 0 {
		return key + begunKey
	}
	return key + begunKey + "/" + strconv.Itoa(inputs)
}

// limited makes a call that may take no longer than it is allowed to.
func (r *llmRun) limited(ctx context.Context, tool *Tool, c ToolCall) (tools.Result, error) {
	limit := cmp.Or(tool.Timeout, r.ToolTimeout, llmToolTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errToolTooLate)
	defer cancel()
	type outcome struct {
		result tools.Result
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = failure.Protect(func() (err error) {
			o.result, err = tool.Call(ctx, c)
			o.result.Metadata = withoutReserved(o.result.Metadata)
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
		return tools.Result{}, context.Cause(ctx) // it is left behind: it has nothing of the run's to write to
	}
}

// enter lets a tool work in the turn. Its result is kept in the turn's record and, like what it did to the state, not
// beyond: a takeover enters it again.
func (r *llmRun) enter(ctx context.Context, tool *Tool, s *llmRound, i int, c ToolCall) settledCall {
	memo := "done/" + s.callKey(i)
	if raw, ok := r.t.memo(memo); ok {
		var result tools.Result
		if err := json.Unmarshal(raw, &result); err != nil {
			return settledCall{err: r.t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %s: %w", r.t.Path(), memo,
				err))}
		}
		return settledCall{result: &result}
	}
	result, err := useTool(ctx, ToolUse{Turn: r.t, Tool: tool, Call: c},
		func(ctx context.Context, u ToolUse) (tools.Result, error) {
			return observeTool(ctx, u, func(ctx context.Context, u ToolUse) (tools.Result, error) {
				return r.work(ctx, u.Tool, s, i, u.Call)
			})
		})
	switch {
	case ask.PauseOf(err) != nil, errors.Is(err, errNotReturned),
		err != nil && (ctx.Err() != nil || r.t.x.endCause() != nil):
		return settledCall{err: err}
	case err != nil:
		metadata := maps.Clone(result.Metadata)
		result, err = r.failed(ctx, tool, err)
		if metadata != nil {
			metadata[failedMeta] = result.Metadata[failedMeta]
			result.Metadata = metadata
		}
	default:
		result = tool.clip(result)
	}
	result = c.mark.On(result)
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

// failed turns the failure of a tool into a result that says so, and an error if the turn is to fail.
func (r *llmRun) failed(ctx context.Context, tool *Tool, err error) (tools.Result, error) {
	text := toolFailed
	if failure, ok := errors.AsType[*tools.Error](err); ok && failure.Text != "" {
		text = clip.To(failure.Text, tool.most())
	} else if errors.Is(err, errToolTooLate) {
		text = toolTooLate
	}
	log := r.t.x.Log.With("turn", r.t.ID(), "tool", tool.Name, "error", err)
	if p, ok := errors.AsType[*failure.Panic](err); ok {
		log = log.With("stack", string(p.Stack))
	}
	log.WarnContext(ctx, "groupchat: tool failed")
	if errcode.EndsTurn(err) {
		return failedResult(text), err
	}
	if tool.OnError == tools.Fails {
		return failedResult(text), &errcode.Error{Code: errcode.ToolFailed, Err: err}
	}
	return failedResult(text), nil
}

// failedMeta is the member of a result's metadata that is true if the call failed.
const failedMeta = "failed"

// failedResult is the result of a call that failed, and says so to clients.
func failedResult(text string) tools.Result {
	result := tools.Text(text)
	result.Metadata = agui.Metadata{failedMeta: json.RawMessage("true")}
	return result
}

// toolMaxResult is the default of Tool.MaxResult.
const toolMaxResult = 64 << 10

func (t *Tool) most() int {
	if t.MaxResult > 0 {
		return t.MaxResult
	}
	return toolMaxResult
}

// clip shortens a result to what may be kept of it. One without content gets an empty text.
func (t *Tool) clip(result tools.Result) tools.Result {
	if result.Content.IsZero() {
		result.Content = agui.TextContent("")
	}
	raw, err := result.Content.MarshalJSON()
	if _, parts := result.Content.Parts(); err == nil && (!parts || len(raw) <= t.most()) &&
		len(result.Content.Text()) <= t.most() {
		return result
	}
	result.Content = agui.TextContent(clip.To(result.Content.Text(), t.most()) + "\n[The rest was left out.]")
	return result
}

// work makes a call of a tool that works in the turn.
func (r *llmRun) work(ctx context.Context, tool *Tool, s *llmRound, i int, c ToolCall) (result tools.Result,
	err error) {
	if tool.agent != nil { // it keeps its calls apart itself, by their number in the turn
		err = failure.Protect(func() (err error) {
			result, err = tool.Turn(ctx, r.t, c)
			return err
		})
		return result, err
	}
	t := r.callTurn(ctx, s, i)
	err = t.work(AgentFunc(func(ctx context.Context, t *Turn) (err error) {
		if result, err = tool.Turn(ctx, t, c); failure.OnlyCancelled(err) {
			result, err = tools.Text(toolCancelled), nil
		}
		return err
	}))
	result.Metadata = withoutReserved(result.Metadata)
	return result, err
}

// callTurn returns the turn of one call of a tool. The turn has its own keys: an answer or an effect of one call is not
// that of another.
func (r *llmRun) callTurn(ctx context.Context, s *llmRound, i int) *Turn {
	key, name := s.callKey(i), model.ToolName(r.tools.toolName(s.reply.Calls[i].Name))
	if n := r.callNumber(s, i); n > 1 {
		name += "@" + strconv.Itoa(n)
	}
	t := r.t.child(name)
	t.ctx, t.as, t.out, t.scope = ctx, r.t.as, r.t.out, r.t.scope
	t.record, t.parentWriter, t.inCall, t.proxy = r.t.record, r.t.parentWriter, true, true
	t.keys = &turnKeys{keySpace: r.t.toolKeys(key), id: r.t.ID() + "/" + key, owner: t}
	return t
}
