// Package groupchattest is for the tests of agents and teams. A [Model] speaks from a script, a [Thread] plays a
// conversation and holds each run to what the gateway promises, and [Golden] keeps conversations as text files that
// people read.
//
//	func TestDesk(t *testing.T) {
//		m := groupchattest.NewModel(t,
//			groupchattest.Calls("search", `{"q":"tides"}`),
//			groupchattest.Text("The moon does it."),
//		)
//		th := groupchattest.NewThread(t, desk(m), groupchattest.Options{})
//		run := th.Say("What makes the tides?")
//		if run.Text != "The moon does it." {
//			t.Errorf("it says %q", run.Text)
//		}
//	}
//
// # What every run is held to
//
//   - Its events are what the protocol allows, in an order that the protocol allows.
//   - The deltas of the state add up to the state at its end.
//   - A run that waits for people is entered again without an answer, from what JSON has kept of it: it has to ask for
//     the same, and must not have said, changed or recorded anything.
//   - The agent is valid, if it can tell (a Validate method).
//
// [EachTakeover] plays a conversation once for each possible crash of the process, and continues in another.
//
// # Models
//
// A [Model] gives its replies in order, or to the requests that they fit ([Reply.When], [Reply.To]). A request that no
// reply is for fails the test, and so does a reply that was never asked for. Errors have codes, as those of real models
// do ([Fails]).
//
// The package does not import testing: a *testing.T is a [T], and so is whatever else can say that a test has failed.
package groupchattest
