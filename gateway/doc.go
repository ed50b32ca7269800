// Package gateway serves agents over HTTP as AG-UI 1.0 event streams.
//
//	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"hello": hello}})
//	http.ListenAndServe("127.0.0.1:8080", g) // g is an http.Handler
//
// A run request passes through the package in one direction, with a file per stage:
//
//	routes.go      the table of routes; handle_*.go are the handlers
//	decode.go      body ─► protocol types ─► state.Request           400 before anything started
//	admit.go       one atomic step in the store                      run, join, show, refuse, busy; waits
//	slots.go       bounds the live runs of this replica
//	start.go       RUN_STARTED and the state; executes the agent     in a goroutine of the server
//	attempt.go     its stop, its deadline, its readers               lease.go renews its lease
//	journal.go     its events, frames of the log; its commits        internal/recorder appends both in batches
//	ending.go      the last commit and the terminal event, one step  failure.go for runs that failed
//	tail.go        reads the log from a reader's cursor              internal/frame decodes it
//	project.go     converts frames for this reader                   gateway/wire
//	reader.go      SSE ─► client                                     also the POST's own response
//
// join.go first brings a reader without a cursor up to date. takeover.go continues the runs of dead replicas.
// CopilotKit's pages have separate routes in package copilotkit, which lead to the same stages; copilotkit.go
// implements the service interface of that package.
//
// Responses do not depend on the path where the gateway is mounted, so a program may serve it below a prefix and behind
// middleware: see the example of web.Handler, with the page.
//
// A thread belongs to the principal that began it; for others it does not exist. [Options.Principal] identifies the
// sender of a request; without it all callers are one principal, and anyone who reaches the gateway can read every
// thread.
//
// A run belongs to the server: readers come and go, and each reads the log from its own cursor, so live and replayed
// streams use the same code. A reader gets a frame only after the store has acknowledged it.
//
// When a run has to end, its agent's context is cancelled and the agent should return. If it has not returned after
// [Options.StopGrace], the run ends without it, and its later writes are refused.
package gateway
