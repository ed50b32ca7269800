package faultsim

import (
	"bytes"
	"math"

	"github.com/anishathalye/porcupine"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// An answering is the input of a call that answers a question: a compare-and-swap of an open question.
type answering struct{ value string }

// An outcome is the output of an answering, as the client sees it.
type outcome uint8

const (
	unclear  outcome = iota // the connection broke, or the run was refused for another reason
	accepted                // the question has this answer
	refused                 // the question has another answer
)

// A setting is a change of a question that the store wrote: it is asked, opened again, dropped, or claimed by a text.
type setting struct{ value string }

// The values of a question without an answer. Answers are JSON, so they are none of these.
const (
	open    = "open"
	dropped = "dropped"
)

// questions is the sequential specification of one question. The value of a question after its store lost changes is
// [anything].
var questions = porcupine.NondeterministicModel{
	Init: func() []any { return []any{anything} },
	Step: func(state, input, output any) []any {
		now := state.(string)
		switch in := input.(type) {
		case loss:
			return []any{anything}
		case setting:
			return []any{in.value}
		case answering:
			return in.step(now, output.(outcome))
		}
		return nil
	},
}

// step returns the values that a question with the value now can have after an answering.
func (a answering) step(now string, seen outcome) []any {
	isOpen := now == open || now == anything
	switch {
	case seen == accepted && (isOpen || now == a.value):
		return []any{a.value}
	case seen == accepted:
		return nil
	case seen == refused && (now == open || now == a.value):
		return nil
	case seen == unclear && isOpen:
		return []any{a.value, now}
	}
	return []any{now}
}

// answered records the outcome of a connection on which answers were sent. Several answers are accepted together; which
// one of them is refused is not known. An answer without a clear outcome may take effect at any later time.
func (w *world) answered(began int64, answers []agui.ResumeEntry, seen outcome) {
	if seen == refused && len(answers) > 1 {
		seen = unclear
	}
	end := w.tick()
	if seen == unclear {
		end = math.MaxInt64
	}
	for _, a := range answers {
		w.questions.addUntil(a.InterruptID, 0, began, end, answering{string(a.Payload)}, seen)
	}
}

// asked records what a transition did to questions otherwise than by an answer.
func (w *world) asked(began int64, tokens []state.Token) {
	for _, token := range tokens {
		var value string
		switch {
		case token.Status == state.TokenOpen:
			value = open
		case token.Status == state.TokenDropped:
			value = dropped
		case token.Status == state.TokenClaimed && bytes.HasPrefix(token.Answer.Payload, []byte{'"'}):
			value = string(token.Answer.Payload) // a message that may be an answer
		default:
			continue
		}
		w.questions.add(token.Interrupt.ID, 1, began, setting{value}, nil)
	}
}

// outcomeOf returns what an event says about the answers that its stream's request carried.
func outcomeOf(record agui.Record, e agui.Event) outcome {
	switch e := e.(type) {
	case *agui.RunStarted:
		if record.ID != "" { // it is in the log
			return accepted
		}
	case *agui.RunFinished:
		return accepted
	case *agui.RunError:
		if record.ID != "" {
			return accepted
		}
		if e.Code == "interrupt_already_resolved" {
			return refused
		}
	}
	return unclear
}
