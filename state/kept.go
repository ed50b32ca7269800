package state

import (
	"bytes"
	"encoding/json"
	"slices"
)

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

// MaxReplaced is how many bytes of replaced versions a thread keeps for the frames of its log that name a revision.
// Beyond it the log loses its oldest runs, but not the live one.
const MaxReplaced = 8 << 20
