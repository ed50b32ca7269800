package state

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// An Answered names a question that got its answer, or expired without one, and where in the conversation that was. The
// question and the answer are those of its token.
type Answered struct {
	ID string `json:"id"`
	// After is the message that the conversation ended with when the question was asked.
	After string `json:"after"`
	// Size is about how many bytes the question and the answer take.
	Size int `json:"size"`
}

// The limits of the answered questions that a thread shows. Of an older one it keeps only that it was answered.
const (
	MaxAnswered      = 50
	MaxAnsweredBytes = 1 << 20
)

// MaxSettled is the largest number of tokens that a thread keeps of questions which are closed and no longer shown.
// The oldest ones are evicted: an answer to such a question is refused as one to an unknown question.
const MaxSettled = 100

// answered records a token with a question after a message.
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

// shrink keeps of tokens that are no longer shown only that they were used, so that a second answer is refused. Tokens
// that the live run has claimed stay, because a failure opens them again.
func (s *Transition) shrink(list []Answered) {
	for _, a := range list {
		claimed := slices.ContainsFunc(s.Tokens, func(t Token) bool { return t.Interrupt.ID == a.ID }) ||
			s.Thread.Live != nil &&
				slices.ContainsFunc(s.Thread.Live.Intent.Claims, func(c Answer) bool { return c.ID == a.ID })
		if !claimed {
			s.Tokens = append(s.Tokens,
				Token{Interrupt: agui.Interrupt{ID: a.ID, Reason: "input_required"}, Status: TokenUsed})
			s.retire(a.ID)
		}
	}
}

// retire lists a closed question that is no longer shown, and evicts the oldest tokens of such questions beyond
// [MaxSettled].
func (s *Transition) retire(id string) {
	list := append(slices.Clone(s.Thread.Settled), id)
	old := max(0, len(list)-MaxSettled)
	s.Evicted = append(s.Evicted, list[:old]...)
	s.Thread.Settled = list[old:]
}

// ask adds the token of a question. A remote agent may ask under an id again.
func (s *Transition) ask(token Token) {
	same := func(id string) bool { return id == token.Interrupt.ID }
	s.Evicted = slices.DeleteFunc(s.Evicted, same)
	if slices.ContainsFunc(s.Thread.Settled, same) { // copies of the thread share the list
		s.Thread.Settled = slices.DeleteFunc(slices.Clone(s.Thread.Settled), same)
	}
	s.Tokens = append(s.Tokens, token)
}

// isAnswered reports whether a question is shown as answered.
func (s *Transition) isAnswered(id string) bool {
	return slices.ContainsFunc(s.Thread.Answered, func(a Answered) bool { return a.ID == id })
}

// unanswered takes back that a question was answered: it is open again.
func (s *Transition) unanswered(id string) {
	s.leaveAnswered(func(a Answered) bool { return a.ID == id })
}

// cutAnswered removes answers with the messages that they follow. A turn that runs again removes the answers that
// follow its first message.
func (s *Transition) cutAnswered(v Verdict) {
	s.leaveAnswered(func(a Answered) bool {
		cut := v.CutAll || slices.Contains(s.Left, a.After) || v.Meaning == Repeat && a.After == s.Thread.LastMessage
		if cut {
			s.retire(a.ID)
		}
		return cut
	})
}

func (s *Transition) leaveAnswered(leaves func(Answered) bool) {
	// Copies of the thread share the list.
	if kept := slices.DeleteFunc(slices.Clone(s.Thread.Answered), leaves); len(kept) < len(s.Thread.Answered) {
		s.Thread.Answered = kept
	}
}

// copyAnswered gives a fork the answers of t after any of its messages but the last.
func (s *Transition) copyAnswered(t *Thread, f Facts, kept Conversation) {
	for _, a := range t.Answered {
		if token, ok := f.Token(a.ID); ok && kept.index(a.After) >= 0 && token.shown(t) {
			s.Tokens = append(s.Tokens, token)
			s.Thread.Answered = append(s.Thread.Answered, a)
		}
	}
}

// shown reports whether the token of an answered question of t is shown. A message that is being read may turn out to
// be no answer.
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

// AnsweredTokens returns the answered questions that are shown of t, oldest first.
func AnsweredTokens(t *Thread, f Facts) []AnsweredToken {
	var tokens []AnsweredToken
	for _, a := range t.Answered {
		if token, ok := f.Token(a.ID); ok && token.shown(t) {
			tokens = append(tokens, AnsweredToken{Token: token, After: a.After})
		}
	}
	return tokens
}

// An AnsweredToken is an answered question as a [Snapshot] has it. Its token has no answer if the question expired
// without one.
type AnsweredToken struct {
	Token
	After string // see [Answered]
}

// Kept is what a turn that failed had done with the answers it was given. A person who gives the same answers again
// asks for the same turn: recorded effects are not repeated. Other answers ask for another.
type Kept struct {
	Answers []Answer                   `json:"answers"`
	Effects map[string]json.RawMessage `json:"effects"`
}

// For returns the effects that a turn entered with these answers finds; none if k is nil.
func (k *Kept) For(answers []Answer) map[string]json.RawMessage {
	if k == nil || len(answers) != len(k.Answers) {
		return nil
	}
	for i := range k.Answers {
		if !slices.ContainsFunc(answers, k.Answers[i].equal) {
			return nil
		}
	}
	return k.Effects
}

func (a Answer) equal(b Answer) bool {
	return a.ID == b.ID && a.Status == b.Status && a.TimedOut == b.TimedOut &&
		bytes.Equal(a.Payload, b.Payload) && bytes.Equal(a.Late, b.Late)
}

// remember keeps what a turn had recorded that is given up. It is forgotten once the answers are used.
func (s *Transition) remember(claims []Answer, c Commit) {
	switch {
	case c.End == nil || !c.End.Reopen:
		s.Thread.Kept = nil
	case len(c.End.Effects) > 0:
		s.Thread.Kept = &Kept{Answers: claims, Effects: c.End.Effects}
	}
}
