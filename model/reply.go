package model

import "github.com/agui-gateway/gateway/agui"

// Deltas take what a model says while it says it. Each may be nil; an error ends the call and is returned by it. A
// refusal is said like text. Call gets the pieces of call number i, the first of which has the name.
type Deltas struct {
	Text      func(delta string) error
	Reasoning func(delta string) error
	Call      func(i int, name, arguments string) error
}

// A Reply is all that a model said.
type Reply struct {
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Refusal   string `json:"refusal,omitempty"` // what it says instead of a text it will not give
	Calls     []Call `json:"calls,omitempty"`
	// Finish is why it ended, in the words of the model's server: "stop", "tool_calls", … A reply that hit a limit on its length
	// says "length" or "max_tokens".
	Finish string          `json:"finish,omitempty"`
	Usage  agui.TokenUsage `json:"usage"`
	// Cost is what the call cost, by the model's [Price]; nil if that is not known.
	Cost *float64 `json:"cost,omitempty"`
}

// Words is the reply's text, or its refusal.
func (r Reply) Words() string { return r.Text + r.Refusal }

// Truncated reports whether the reply hit a limit on its length.
func (r Reply) Truncated() bool { return r.Finish == "length" || r.Finish == "max_tokens" }
