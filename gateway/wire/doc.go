// Package wire converts the events of a run for each reader. The log of a run holds one canonical stream: AG-UI 1.0
// with subagents, questions as interrupt outcomes, and stops as cancelled outcomes. Not every client can read that:
// clients before 1.0 crash on some of it, and CopilotKit's page locks itself on other parts. A [Profile] describes the
// events that a reader understands, and [Profile.Project] converts canonical frames for it, one at a time:
//
//	profile := wire.Profile{Era: agui.Era1, Subagents: true, RunID: "run-1"}
//	frames, lost, err := profile.Project(nil, stored)
//
// Only this package knows protocol eras, dialects and the habits of clients. A projected stream obeys the order rules
// like the canonical one; testdata holds streams with their projections for each kind of reader, and the tests in
// interop feed those to the reference clients of each era.
package wire
