package thread

import (
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
)

// Run validates agent, and lets it answer one message of a person, without a server and without a store, in a new
// thread. Questions of the agent are in the result, which can be answered.
//
//	result, err := thread.Run(ctx, agent, "Plan my trip to Paris")
//	…
//	for len(result.Questions) > 0 {
//		result, err = result.Answer(ctx, map[string]any{result.Questions[0].Key: "KLM"})
//		…
//	}
//	fmt.Println(result.Text)
func Run(ctx context.Context, agent groupchat.Agent, text string) (*Result, error) {
	if v, ok := groupchat.As[interface{ Validate() error }](agent); ok {
		if err := v.Validate(); err != nil {
			return nil, fail(errcode.Internal, "%w", err)
		}
	}
	return New(agent, Options{}).Say(ctx, text)
}

// A Result is the result of one run of a [Thread] that did not fail.
type Result struct {
	// Text is the last message of the run, by any agent of the team; empty if there is none.
	Text string
	// Messages are those that the run added to the conversation, without those of people.
	Messages []groupchat.Message
	// State is the shared state at the run's end, a JSON object.
	State json.RawMessage
	// Questions are for people, and Calls for the frontend's tools: the run continues when they are answered. Both are
	// empty if it is done.
	Questions []Question
	Calls     []Call
	// Usage is the usage of models in this run, per provider and model, and Cost its cost by the models' prices; nil if
	// no price is known.
	Usage []agui.TokenUsage
	Cost  *float64

	thread *Thread
}

// Done reports whether the run has no open questions and calls.
func (r *Result) Done() bool { return len(r.Questions)+len(r.Calls) == 0 }

// Answer calls [Thread.Answer] of the result's thread.
func (r *Result) Answer(ctx context.Context, answers map[string]any) (*Result, error) {
	return r.thread.Answer(ctx, answers)
}

// Thread returns the thread of the run.
func (r *Result) Thread() *Thread { return r.thread }
