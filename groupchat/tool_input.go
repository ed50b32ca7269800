package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/errcode"
)

// An InputNeeded is the error of a [Tool.Call] that cannot be finished without a person's answer. The turn asks, and
// makes the same call again, with the same key, when the answer is there; nothing of the first call counts but what it
// asked. A tool asks at most 16 times for one call.
type InputNeeded struct {
	// Message is what a person is asked, and Schema the JSON Schema of the answer; nil takes anything.
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	// By is the name of the asking agent, where that is not the agent.
	By string `json:"by,omitempty"`
	// State is given back with the answer; see [ToolInput]. It is kept with the question, so it should be small.
	State json.RawMessage `json:"state,omitempty"`
}

// Error does not quote the question.
func (*InputNeeded) Error() string { return "groupchat: tool: a person has to answer first" }

// A ToolInput is what a person answered to a call's [InputNeeded].
type ToolInput struct {
	Answer
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
			needed, ok := errors.AsType[*InputNeeded](settled.err)
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
	return r.once(key, func() (ToolResult, error) {
		return r.failed(ctx, tool,
			&ToolError{Text: "The tool asked too often.", Err: errors.New("it asked 16 times for one call")})
	})
}

// inputAsked is the nth question of the call of a key, from 0; nil if it was not asked.
func (r *llmRun) inputAsked(key string, n int) (*InputNeeded, error) {
	memo := inputKey + key + "/" + strconv.Itoa(n)
	raw, ok := r.t.memo(memo)
	if !ok {
		return nil, nil
	}
	q := &InputNeeded{}
	if err := json.Unmarshal(raw, q); err != nil {
		return nil, r.t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %s: %w", r.t.Path(), memo, err))
	}
	return q, nil
}

// noteInput keeps a question, so that a turn that is entered again asks it without another call.
func (r *llmRun) noteInput(key string, n int, q *InputNeeded) error {
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
