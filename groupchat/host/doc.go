// Package host executes agents: it is for services that run teams, such as package gateway, and for programs and tests that run
// one by themselves. Who writes agents needs package groupchat only.
//
// A run is one call of [Execute] with an agent and a [Session], which holds everything that belongs to this run: the writer of its
// events, the thread's state, the caller's input, and a [Journal] that keeps what must not be lost.
//
//	view := run.NewView(messages, nil) // the conversation so far; package agui/run
//	r := run.New(run.Options{ThreadID: thread, RunID: id, View: view, Sink: send})
//	doc, err := state.NewDocument(saved, state.DocumentOptions{
//		OnChange: func(c state.Change) error { return r.Emit(c.Event()) },
//	})
//	…
//	err = r.Start(&agui.RunStarted{})
//	…
//	result, err := host.Execute(ctx, team, &host.Session{
//		Run: r, State: doc, Journal: journal, Origin: id, NewID: newID,
//	})
//
// # How a run ends
//
// Execute sends no terminal event. The host does, by what Execute returns:
//
//   - An error: the run has failed. Its code (package errcode) is what clients are told; [OpenMessages] names the messages that were
//     cut short and should not stay in the conversation.
//   - A [Result] without a Pause: the run is done.
//   - A Result with a Pause: the run waits for people or for tools of the client. The host stores the questions, the calls and
//     the checkpoint, sends its snapshots, then the Closings, and ends the run with an interrupt outcome.
//
// The run that brings the answers is another call of Execute, with the checkpoint and the answers in its session. It enters the
// same turn again.
//
// # What must not be lost
//
// The journal is called at every turn boundary with a checkpoint to go on from, and with each effect before its result is used.
// A run that loses its process goes on in another from the last commit: Takeover is then set, and Memo has the effects recorded
// since. What earlier attempts spent on models is found by [EarlierUsage]. A replica that may have lost its right to a run says
// so by the session's Fence, and ends the context of a run that another replica goes on with with a cause that is
// [groupchat.ErrMoved].
package host
