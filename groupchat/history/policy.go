package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/model"
)

// A Policy limits the part of a long conversation in the request of a model. Messages over a limit are omitted, the
// oldest first and whole exchanges at a time: messages of the caller with all replies. Calls of tools and their results
// go together, and the last words of the caller always stay. The conversation itself is not changed.
//
// More is left out at once than has to be (a quarter of the turns and one at least, three eighths of the tokens), so
// that the beginning of the requests stays the same for many turns: servers of models do not read again what they have
// read before.
//
// Without any history, and whatever it says, a request that the model's server refuses as too long
// (model_context_length) is shortened by half and made again, at most six times, and the length that was refused is
// remembered for the thread.
type Policy struct {
	// Turns is the maximum number of the caller's turns; 0 means all.
	Turns int
	// Tokens is how long a request may be, tools and instructions included; 0 means as long as the server takes it.
	// What the model answers comes on top. Tokens are estimated: a third of the bytes, 4 for each message and 1000 for
	// each image or file, corrected by what the model's server reports of earlier requests on the thread. See Count.
	Tokens int
	// Strategy says how omitted messages are replaced.
	Strategy Strategy
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

// A Strategy says how messages that a request omits are replaced.
type Strategy string

// The strategies of [Policy].
const (
	Drop Strategy = "" // they are omitted, and the request says so
	// Summarise lets a model put it into a summary, which takes its place and is summarised with what leaves
	// next. A summary that cannot be made leaves out, for this turn, what it would have been of; it is tried again in
	// the next.
	Summarise Strategy = "summarise"
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

// Validate reports every mistake of h, joined. A nil policy has none.
func (h *Policy) Validate() error {
	if h == nil {
		return nil
	}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("history: "+format, args...)) }
	if h.Turns < 0 || h.Tokens < 0 || h.KeepFirst < 0 || h.KeepLast < 0 {
		bad("a number is negative")
	}
	switch h.Strategy {
	case Drop, Summarise:
	default:
		bad("unknown strategy %q", h.Strategy)
	}
	if h.Strategy != Summarise && (h.Model != nil || h.Summarise != nil) {
		bad("a model, or a function, for summaries, and none are made")
	}
	if h.Turns > 0 && max(h.KeepLast, 1) > h.Turns {
		bad("keeps the last %d turns of %d", h.KeepLast, h.Turns)
	}
	return errors.Join(errs...)
}
