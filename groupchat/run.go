package groupchat

import (
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
)

// Run lets agent answer one message of a person's, without a server and without a store: it is
// NewThread(agent, ThreadOptions{}).Say(ctx, text). What the agent asks is in the result, which can be answered.
//
//	result, err := groupchat.Run(ctx, agent, "Plan my trip to Paris")
//	…
//	for len(result.Questions) > 0 {
//		result, err = result.Answer(ctx, map[string]any{result.Questions[0].Key: "KLM"})
//		…
//	}
//	fmt.Println(result.Text)
func Run(ctx context.Context, agent Agent, text string) (*RunResult, error) {
	return NewThread(agent, ThreadOptions{}).Say(ctx, text)
}

// A RunResult is what one run of a [Thread] came to, if it did not fail.
type RunResult struct {
	// Text is what was said last in the run, by whoever in the team said it; empty if nothing was said.
	Text string
	// Messages are those that the run added to the conversation, what people sent not included.
	Messages []Message
	// State is the shared state at the run's end, a JSON object.
	State json.RawMessage
	// Questions are what people are asked, and Calls the frontend's tools that were called: the run goes on when they are
	// answered. Both are empty if it is done.
	Questions []OpenQuestion
	Calls     []OpenCall
	// Usage is what models used in this run, per provider and model, and Cost what that cost, by the models' prices; nil if no
	// price is known.
	Usage []agui.TokenUsage
	Cost  *float64

	thread *Thread
}

// Done reports whether the run waits for nothing.
func (r *RunResult) Done() bool { return len(r.Questions)+len(r.Calls) == 0 }

// Answer goes on with the thread that the result is of: it is [Thread.Answer].
func (r *RunResult) Answer(ctx context.Context, answers map[string]any) (*RunResult, error) {
	return r.thread.Answer(ctx, answers)
}

// Thread is the thread that the result is of.
func (r *RunResult) Thread() *Thread { return r.thread }
