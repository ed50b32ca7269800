package model

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
)

// Deltas receive a reply piece by piece. Each may be nil; an error ends the call and is returned by it. A refusal comes
// as text. Call gets the pieces of call number i, the first of which has the name.
type Deltas struct {
	Text      func(delta string) error
	Reasoning func(delta string) error
	Call      func(i int, name, arguments string) error
}

// noting is d, which also notes that anything was handed on.
func (d Deltas) noting(said *bool) Deltas {
	word := func(next func(string) error) func(string) error {
		return func(delta string) error {
			*said = true
			if next == nil {
				return nil
			}
			return next(delta)
		}
	}
	return Deltas{Text: word(d.Text), Reasoning: word(d.Reasoning), Call: func(i int, name, arguments string) error {
		*said = true
		if d.Call == nil {
			return nil
		}
		return d.Call(i, name, arguments)
	}}
}

// A Reply is all that a model said.
type Reply struct {
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Refusal   string `json:"refusal,omitempty"` // what it says instead of a text it will not give
	Calls     []Call `json:"calls,omitempty"`
	// Opaque is what the model's server wants back as it is with the following calls of the turn, such as encrypted
	// reasoning; it goes back in [Message].Opaque. It is recorded with the reply, and clients never see it. The model
	// bounds it to 1 MiB, and writes its origin into it: a model ignores data of another one.
	Opaque json.RawMessage `json:"opaque,omitempty"`
	// Finish is why it ended, in the words of the model's server: "stop", "tool_calls", … A reply that hit a limit on
	// its length says "length" or "max_tokens".
	Finish string          `json:"finish,omitempty"`
	Usage  agui.TokenUsage `json:"usage"`
	// Earlier is what other models used on the way to this reply, which were asked before and failed: see [FirstOf].
	Earlier []agui.TokenUsage `json:"earlier,omitempty"`
	// Cost is what the call cost, by the model's [Price], with what Earlier did; nil if that is not known.
	Cost *float64 `json:"cost,omitempty"`
}

// Words is the reply's text, or its refusal.
func (r Reply) Words() string { return r.Text + r.Refusal }

// Truncated reports whether the reply hit a limit on its length.
func (r Reply) Truncated() bool { return r.Finish == "length" || r.Finish == "max_tokens" }
