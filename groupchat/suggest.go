package groupchat

import (
	"context"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Suggestion is something a person could say next.
type Suggestion struct {
	Title   string `json:"title"`   // short: it stands on a button
	Message string `json:"message"` // what is sent when the button is pressed
}

// A Situation is what suggestions are made for: a conversation as its reader sees it. It is nobody's thread.
type Situation struct {
	Messages []agui.Message
	State    state.Reader
	Context  []agui.Context
	// Most is how many suggestions there is room for.
	Most int
}

// A Suggester is an [Agent] that knows what a person could say to it next. Suggest is called beside runs, by several
// goroutines at once, and changes nothing. It returns at most s.Most suggestions, the best one first; none is an answer.
type Suggester interface {
	Suggest(ctx context.Context, s Situation) ([]Suggestion, error)
}

// SuggesterFunc is a function that is a [Suggester].
type SuggesterFunc func(ctx context.Context, s Situation) ([]Suggestion, error)

// Suggest calls f.
func (f SuggesterFunc) Suggest(ctx context.Context, s Situation) ([]Suggestion, error) {
	return f(ctx, s)
}

// Suggest asks c.Suggester; a chat without one has no suggestions.
func (c *Chat) Suggest(ctx context.Context, s Situation) ([]Suggestion, error) {
	if c.Suggester == nil {
		return nil, nil
	}
	return c.Suggester.Suggest(ctx, s)
}

var _ Suggester = (*Chat)(nil)
