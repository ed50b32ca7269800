package groupchat

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
)

// forgotten are the replies that made a try of a turn fail. A retry that found them again would fail again; it asks the
// model for others instead, and requests omit the messages. The effects of its tools stay, and the model knows them.
type forgotten struct {
	// Replies are the numbers they were recorded under, which are not used again: a takeover finds the records.
	Replies []int `json:"replies,omitempty"`
	// Rounds are the rounds of tools that earlier tries took.
	Rounds int `json:"rounds,omitempty"`
}

// forgottenKey is where a turn keeps them.
const forgottenKey = "llm/forgotten"

func recallForgotten(t *Turn) (f forgotten, err error) {
	raw, ok := t.memo(forgottenKey)
	if !ok {
		return f, nil
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %s: %w", t.Path(), forgottenKey, err))
	}
	return f, nil
}

func (r *llmRun) next() int {
	n := 0
	if len(r.rounds) > 0 {
		n = r.rounds[len(r.rounds)-1].n + 1
	}
	for slices.Contains(r.past.Replies, n) {
		n++
	}
	return n
}

// forgetWords forgets the replies that called for nothing, because none of them was accepted.
func (r *llmRun) forgetWords() error {
	var words []*llmRound
	for _, s := range r.rounds {
		if len(s.reply.Calls) == 0 {
			words = append(words, s)
		}
	}
	return r.forget(words...)
}

// forgetCalls forgets s, with calls that exceeded the rounds, and gives the next try rounds more.
func (r *llmRun) forgetCalls(s *llmRound, rounds int) error {
	r.past.Rounds += rounds
	return r.forget(s)
}

func (r *llmRun) forget(rounds ...*llmRound) error {
	for _, s := range rounds {
		r.past.Replies = append(r.past.Replies, s.n)
		r.discardMessages(s.shown)
	}
	raw, err := json.Marshal(r.past)
	if err != nil {
		return err
	}
	r.t.remember(forgottenKey, raw)
	return nil
}
