package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

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
