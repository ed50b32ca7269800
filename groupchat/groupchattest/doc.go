// Package groupchattest is for the tests of agents and teams. A [Thread] plays a conversation and checks the promises
// of the gateway in each run, and [Golden] keeps conversations as text files that people read. The models are those of
// package modeltest.
//
//	func TestDesk(t *testing.T) {
//		m := modeltest.New(t,
//			modeltest.Calls("search", `{"q":"tides"}`),
//			modeltest.Text("The moon does it."),
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
// The package does not import testing: a *testing.T is a [modeltest.T], and so is any other reporter of failures.
package groupchattest
