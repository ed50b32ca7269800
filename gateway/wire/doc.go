// Package wire decides what each reader of a run is sent. The log of a run holds one canonical stream: AG-UI 1.0 with
// subagents, questions as interrupt outcomes, stops as cancelled outcomes. Not every client can read that: those before 1.0
// crash on some of it, CopilotKit's page locks itself on other parts of it. A [Profile] names what one reader understands,
// and [Profile.Project] makes that reader's frames from the canonical ones, one at a time:
//
//	profile := wire.Profile{Era: agui.Era1, Subagents: true, RunID: "run-1"}
//	frames, lost, err := profile.Project(nil, stored)
//
// It is the only place that knows protocol eras, dialects and the habits of clients. A projected stream obeys the order rules
// as the canonical one does; testdata holds streams and what each kind of reader is sent of them, and the tests in interop
// feed those to the reference clients of each era.
package wire
