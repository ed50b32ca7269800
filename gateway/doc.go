// Package gateway serves agents over HTTP as AG-UI 1.0 event streams.
//
//	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"hello": hello}})
//	http.ListenAndServe("127.0.0.1:8080", g) // g is an http.Handler
//
// A request for a run walks through the package one way, a file per stage:
//
//	routes.go      the table of routes; handle_*.go answer them
//	decode.go      body ─► protocol types ─► state.Request          400 before anything started
//	admit.go       one atomic step in the store: what it means       run, join, show, refuse, busy; waits for what is in its way
//	slots.go       how many runs may be live here at once
//	start.go       RUN_STARTED and the state; executes the agent     in a goroutine of the server's own
//	attempt.go     its stop, its time, its readers                   lease.go keeps its lease
//	journal.go     its events, frames of the log; its commits        internal/recorder appends both in batches
//	ending.go      the last commit and the terminal event, one step  failure.go for the runs that failed
//	tail.go        the log, from a reader's cursor on                internal/frame decodes it
//	project.go     each frame as this reader is sent it              gateway/wire
//	reader.go      SSE ─► client                                     also the POST's own response
//
// A reader without a cursor is brought up to date first, by join.go. Runs of replicas that died are continued by takeover.go.
// CopilotKit's pages have routes of their own, which lead to the same stages: package copilotkit has them, and copilotkit.go is the
// service that it asks for.
//
// Nothing in an answer says where the gateway is mounted, so a program may serve it below a prefix, behind middleware of its own: see the
// example of web.Handler, with the page.
//
// A thread belongs to the principal that began it, and to others it looks like one that does not exist. [Options.Principal] says who
// has sent a request; without it everybody is one principal, and whoever reaches the gateway can read every thread.
//
// A run belongs to the server: readers come and go, and each sees the log from its own cursor, so live and
// replayed streams are the same code. A reader is given a frame only after the store acknowledged it.
//
// The context of an agent is cancelled when its run has to end, and the agent should return then. If it has not returned
// after [Options.StopGrace], the run ends without it, and what it still writes or changes is refused.
package gateway
