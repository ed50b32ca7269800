package groupchat

import (
	"context"
	"errors"
	"time"
)

// A ToolRetry says how often a call of a tool is made again without an answer: after an error other than a [ToolError],
// unless that is Temporary, or took too long. The zero value makes none again.
//
// Only a tool that may be repeated is called again ([RepeatAgain]), with the same [ToolCall.Key]. There is no further
// try once the run is stopped or another process' ([Fence] is asked before each), after a panic, after a question of
// the tool's, and after what ends the turn whatever the tool's policy. Each try may take the tool's Timeout; the result
// of the last one counts, and hooks see no other.
type ToolRetry struct {
	// Times is how many further tries there may be, up to 10.
	Times int
	// Backoff is how long the first further try waits at most; it waits at least half as long. Each further one waits
	// twice as long, up to 30 seconds. 0 means 500ms; a negative one does not wait.
	Backoff time.Duration
}

// maxToolRetries is the most of [ToolRetry.Times].
const maxToolRetries = 10

// tries makes a call as often as the tool's retries say, each time as a separate step.
func (r *llmRun) tries(ctx context.Context, tool *Tool, c ToolCall) (ToolResult, error) {
	for n := 1; ; n++ {
		result, err := observeTool(ctx, ToolUse{Turn: r.t, Tool: tool, Call: c},
			func(ctx context.Context, u ToolUse) (ToolResult, error) {
				return r.limited(ctx, u.Tool, u.Call)
			})
		if n > tool.Retry.Times || ctx.Err() != nil || !tool.again(err) {
			return result, err
		}
		r.t.x.Log.WarnContext(ctx, "groupchat: a call of a tool is made again", "turn", r.t.ID(), "tool", tool.Name,
			"try", n+1, "error", err)
		if !(ErrorPolicy{Backoff: tool.Retry.Backoff}).wait(ctx, n) {
			return ToolResult{}, context.Cause(ctx)
		}
		if err := Fence(ctx); err != nil {
			return ToolResult{}, err
		}
	}
}

// again reports whether a call that ended with err has no answer, and may be made again.
func (t *Tool) again(err error) bool {
	if err == nil || t.Repeat != RepeatAgain || endsTurn(err) {
		return false
	}
	if failure, ok := errors.AsType[*ToolError](err); ok && !failure.Temporary {
		return false
	}
	_, panicked := errors.AsType[*PanicError](err)
	_, asks := errors.AsType[*InputNeeded](err)
	return !panicked && !asks
}

// checkRetry reports mistakes in the tool's retries.
func (t *Tool) checkRetry(bad func(format string, args ...any)) {
	switch {
	case t.Retry.Times < 0 || t.Retry.Times > maxToolRetries:
		bad("may be called again %d times, want 0 to %d", t.Retry.Times, maxToolRetries)
	case t.Retry.Times > 0 && t.Turn != nil:
		bad("works in the turn, and is not called again by itself")
	}
}
