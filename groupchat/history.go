package groupchat

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/model"
)

// A History limits the part of a long conversation in a model's request. Messages over a limit are out, the oldest
// first and whole exchanges at a time: what the caller said, and all that came of it. Calls of tools and their results
// go together, and the last words of the caller always stay. The conversation itself is not changed.
//
// More is left out at once than has to be (a quarter of the turns and one at least, three eighths of the tokens), so
// that the beginning of the requests stays the same for many turns: servers of models do not read again what they have
// read before.
//
// Without any history, and whatever it says, a request that the model's server refuses as too long
// (model_context_length) is shortened by half and made again, at most six times, and the length that was refused is
// remembered for the thread.
type History struct {
	// Turns is the maximum number of the caller's turns; 0 means all.
	Turns int
	// Tokens is how long a request may be, tools and instructions included; 0 means as long as the server takes it.
	// What the model answers comes on top. Tokens are estimated: a third of the bytes, 4 for each message and 1000 for
	// each image or file, corrected by what the model's server reports of earlier requests on the thread. See Count.
	Tokens int
	// Strategy says how omitted messages are replaced.
	Strategy HistoryStrategy
	// KeepFirst is how many of the first turns of the caller always stay, with their replies. KeepLast is how many of
	// the last ones stay as long as they are within the limits; 0 means 1.
	KeepFirst, KeepLast int
	// Model is asked for summaries; nil means the one that is asked anyway.
	Model model.Model
	// Summarise, if set, makes the summaries instead of a model.
	Summarise func(ctx context.Context, s Summary) (string, error)
	// Count, if set, counts the tokens of a request instead of the estimate. It is called twice for each request, and
	// should be cheap.
	Count func(r model.Request) int
}

// A HistoryStrategy says how messages that a request omits are replaced.
type HistoryStrategy string

// The strategies of [History].
const (
	HistoryDrop HistoryStrategy = "" // they are omitted, and the request says so
	// HistorySummarise lets a model put it into a summary, which takes its place and is summarised with what leaves
	// next. A summary that cannot be made leaves out, for this turn, what it would have been of; it is tried again in
	// the next.
	HistorySummarise HistoryStrategy = "summarise"
)

// A Summary is the input of a summary.
type Summary struct {
	// Earlier is the summary so far, which the new one replaces; empty if there is none.
	Earlier string
	// Messages are those that leave the request.
	Messages []model.Message
	// MaxBytes is the maximum size of the new summary. A longer one is cut.
	MaxBytes int
}

func (h *History) validate(bad func(format string, args ...any)) {
	if h == nil {
		return
	}
	if h.Turns < 0 || h.Tokens < 0 || h.KeepFirst < 0 || h.KeepLast < 0 {
		bad("history: a number is negative")
	}
	switch h.Strategy {
	case HistoryDrop, HistorySummarise:
	default:
		bad("history: unknown strategy %q", h.Strategy)
	}
	if h.Strategy != HistorySummarise && (h.Model != nil || h.Summarise != nil) {
		bad("history: a model, or a function, for summaries, and none are made")
	}
	if h.Turns > 0 && max(h.KeepLast, 1) > h.Turns {
		bad("history: keeps the last %d turns of %d", h.KeepLast, h.Turns)
	}
}

// Validate reports every mistake of h, joined.
func (h *History) Validate() error {
	var errs []error
	h.validate(func(format string, args ...any) { errs = append(errs, fmt.Errorf("groupchat: "+format, args...)) })
	return errors.Join(errs...)
}

func (h *History) or(own *History) History {
	switch {
	case own != nil:
		return *own
	case h != nil:
		return *h
	}
	return History{}
}

// history is what holds in t: own, or what the teams around it say, the innermost first.
func (t *Turn) history(own *History) History {
	if own != nil {
		return *own
	}
	for at := t; at != nil; at = at.up {
		if at.chat != nil && at.chat.History != nil {
			return *at.chat.History
		}
	}
	return History{}
}
