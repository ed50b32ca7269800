package model

import "context"

// A Model is a language model, wherever it is and whatever it is asked through. Implementations are safe for concurrent
// use: all runs of an agent share one.
type Model interface {
	// Stream asks the model once, and hands what it says to on while it comes. The reply is complete: one that broke
	// off is an error, even if all its words seem to be there. The text, the reasoning and each call are handed on in
	// full or not at all; clients get the other parts when the reply is complete.
	//
	// An error of on is returned as it is, and so is the cause of ctx once ctx has ended. Other errors have a code in
	// their chain (package errcode): model_unavailable if asking again later may help, model_context_length if asking
	// with fewer messages may, model_auth, model_request and model_content_filter if it will not, model_response if the
	// reply makes no sense. Their texts go to logs and hold neither keys nor prompts. What the call used is in the
	// reply also beside an error, as far as it is known.
	//
	// The run that asks may have been taken over by another replica meanwhile. Agents make sure that it was not before
	// they call Stream; an implementation that asks its server a second time makes sure again, with groupchat.Fence.
	Stream(ctx context.Context, r Request, on Deltas) (Reply, error)
}

// A Reasoner is a [Model] that can tell whether it thinks before it speaks, in deltas of reasoning that clients can
// show. Agents announce it to clients before anything is asked.
type Reasoner interface {
	Reasons() bool
}

// Reasons reports whether m is a [Reasoner] that reasons.
func Reasons(m Model) bool {
	r, ok := m.(Reasoner)
	return ok && r.Reasons()
}

// An Echoer is a [Model] that can tell whether it wants back what it thought before calls of tools, in later turns too.
// What it thought earlier in a turn it is sent in any case.
type Echoer interface {
	Echoes() bool
}

// Echoes reports whether m is an [Echoer] that wants it.
func Echoes(m Model) bool {
	e, ok := m.(Echoer)
	return ok && e.Echoes()
}

// A Named is a [Model] that can tell what it is, before anything is asked, in the words of [agui.TokenUsage].
type Named interface {
	Identity() (provider, model string)
}

// Identify returns what m is, if it is a [Named].
func Identify(m Model) (provider, model string) {
	if n, ok := m.(Named); ok {
		return n.Identity()
	}
	return "", ""
}

// A Func is a function as a [Model].
type Func func(ctx context.Context, r Request, on Deltas) (Reply, error)

// Stream calls f.
func (f Func) Stream(ctx context.Context, r Request, on Deltas) (Reply, error) { return f(ctx, r, on) }
