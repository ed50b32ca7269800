// Package run is the producing side of the AG-UI protocol: it writes the events of a run so that every reader can use them,
// and knows what a stream of events adds up to.
//
// A [Run] is the only writer of a run. Agents speak through its writers, which open and close what they send:
//
//	r := run.New(run.Options{ThreadID: "t", RunID: "r", Sink: send})
//	_ = r.Start(&agui.RunStarted{})
//	step := r.Step("search")
//	text := r.Text(run.TextOptions{})
//	_, _ = text.WriteString("Two flights match.")
//	_ = text.Close()
//	_ = step.End()
//	_ = r.Finish(&agui.RunFinished{})
//
// Each event takes one way: [Run.Emit] validates it, tags what belongs to a subagent, encodes it, checks its order against
// the [agui.Tracker] of the run's [View], folds it into the view, and gives it with its encoded form to the sink. What is
// refused leaves the stream as it was. The errors of a sink stick: from the first one on every writer gets it.
//
// A [View] is what a stream adds up to in a client: messages, state, and what is open. [View.Prelude] is the stream that
// brings a reader who joins in the middle to the same. [Run.Replay] and [Run.Handover] let another process, or another
// goroutine, go on with a run that it did not begin.
//
// A Run and its writers are safe for concurrent use; a View is not.
package run
