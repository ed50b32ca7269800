package groupchat

import "context"

// WithSuggestions returns agent with a suggester. Its turns do not change.
func WithSuggestions(agent Agent, s Suggester) Agent { return &suggesting{agent, s} }

type suggesting struct {
	Agent
	suggester Suggester
}

// Unwrap returns the agent inside.
func (s *suggesting) Unwrap() Agent { return s.Agent }

// Suggest asks the suggester.
func (s *suggesting) Suggest(ctx context.Context, situation Situation) ([]Suggestion, error) {
	if situation.Agent == nil {
		situation.Agent = s
	}
	return s.suggester.Suggest(ctx, situation)
}

func (s *suggesting) check(bad func(format string, args ...any)) {
	if s.suggester == nil {
		bad("has no suggester")
	}
}

var (
	_ Wrapper   = (*suggesting)(nil)
	_ Suggester = (*suggesting)(nil)
)
