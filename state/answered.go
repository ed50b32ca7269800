package state

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// An Answered names a question that got its answer, or expired without one, and where in the conversation that was. The question and the
// answer are those of its token.
type Answered struct {
	ID string `json:"id"`
	// After is the message that the conversation ended with when the question was asked.
	After string `json:"after"`
	// Size is about how many bytes the question and the answer take.
	Size int `json:"size"`
}

// The bounds of what a thread shows of answered questions: of more the oldest are not shown any more, and nothing is kept of them but that they were used.
const (
	MaxAnswered      = 50
	MaxAnsweredBytes = 1 << 20
)

// answered notes a token whose question was asked behind a message.
func (s *Transition) answered(token *Token, after string) {
	raw, err := json.Marshal(token)
	if err != nil {
		s.err = err
		return
	}
	list := append(slices.Clone(s.Thread.Answered), Answered{ID: token.Interrupt.ID, After: after, Size: len(raw)})
	room, from := MaxAnsweredBytes, len(list)
	for from > 0 && len(list)-from < MaxAnswered && list[from-1].Size <= room {
		from--
		room -= list[from].Size
	}
	s.shrink(list[:from])
	s.Thread.Answered = list[from:]
}

// shrink leaves of tokens that are not shown any more only that they were used: whoever answers one again learns that it has an answer. Those that the
// live run has claimed stay, because a failure opens them again.
func (s *Transition) shrink(list []Answered) {
	for _, a := range list {
		claimed := slices.ContainsFunc(s.Tokens, func(t Token) bool { return t.Interrupt.ID == a.ID }) ||
			s.Thread.Live != nil && slices.ContainsFunc(s.Thread.Live.Intent.Claims, func(c Answer) bool { return c.ID == a.ID })
		if !claimed {
			s.Tokens = append(s.Tokens, Token{Interrupt: agui.Interrupt{ID: a.ID, Reason: "input_required"}, Status: TokenUsed})
		}
	}
}

// unanswered takes back that a question was answered: it is open again.
func (s *Transition) unanswered(id string) {
	s.leaveAnswered(func(a Answered) bool { return a.ID == id })
}

// cutAnswered takes answers away with the messages that they stand behind. A turn that runs again takes those with it that its first
// message is followed by.
func (s *Transition) cutAnswered(v Verdict) {
	s.leaveAnswered(func(a Answered) bool {
		return v.CutAll || slices.Contains(s.Left, a.After) || v.Meaning == Repeat && a.After == s.Thread.LastMessage
	})
}

func (s *Transition) leaveAnswered(leaves func(Answered) bool) {
	if slices.ContainsFunc(s.Thread.Answered, leaves) { // copies of the thread share the list
		s.Thread.Answered = slices.DeleteFunc(slices.Clone(s.Thread.Answered), leaves)
	}
}

// copyAnswered gives a fork the answers of t that stand behind a message of its own but its last one.
func (s *Transition) copyAnswered(t *Thread, f Facts, kept Conversation) {
	for _, a := range t.Answered {
		if token, ok := f.Token(a.ID); ok && kept.index(a.After) >= 0 && token.shown(t) {
			s.Tokens = append(s.Tokens, token)
			s.Thread.Answered = append(s.Thread.Answered, a)
		}
	}
}

// shown reports whether the token of an answered question of t is shown. A message that is being read may turn out to be no answer.
func (t *Token) shown(of *Thread) bool {
	switch {
	case t.Status == TokenUsed, t.Status == TokenDropped:
		return true
	case t.Status != TokenClaimed || of.Live == nil:
		return false
	}
	_, typed := of.Live.Intent.Typed()
	return !typed
}

// answeredTokens are the answered questions that are shown of t, oldest first.
func answeredTokens(t *Thread, f Facts) []AnsweredToken {
	var tokens []AnsweredToken
	for _, a := range t.Answered {
		if token, ok := f.Token(a.ID); ok && token.shown(t) {
			tokens = append(tokens, AnsweredToken{Token: token, After: a.After})
		}
	}
	return tokens
}

// An AnsweredToken is an answered question as a [Snapshot] has it. Its token has no answer if the question expired without one.
type AnsweredToken struct {
	Token
	After string // see [Answered]
}

// answeredIDs are the ids of the tokens of a thread's answered questions.
func answeredIDs(t *Thread) []string {
	ids := make([]string, len(t.Answered))
	for i, a := range t.Answered {
		ids[i] = a.ID
	}
	return ids
}
