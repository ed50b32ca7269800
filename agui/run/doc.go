// Package run is the producing side of the AG-UI protocol: it writes the events of a run for any reader, and computes
// the result of a stream of events.
//
// A [Run] is the only writer of a run. Agents use its writers, which open and close messages, calls and steps:
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
// All events take the same path: [Run.Emit] validates the event, tags it if it belongs to a subagent, encodes it,
// checks its order with the [agui.Tracker] of the run's [View], applies it to the view, and passes it with its encoded
// form to the sink. A refused event leaves the stream unchanged. Errors of the sink are sticky: after the first one all
// writers get it.
//
// A [View] is the result of a stream in a client: messages, state, and open items. [View.Prelude] is the stream that
// gives a reader who joins in the middle the same result. [Run.Replay] and [Run.Handover] let another process or
// goroutine continue a run.
//
// A Run and its writers are safe for concurrent use; a View is not.
package run
