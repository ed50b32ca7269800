// Package copilotkit serves CopilotKit's own protocol: the routes that its pages call when their runtimeUrl is a gateway's, so that
// no runtime has to stand between the two.
//
//	GET  /api/copilotkit/info                        list the agents
//	POST /api/copilotkit/agent/{agent}/run           start or resume a run, and stream it
//	POST /api/copilotkit/agent/{agent}/connect       stream the thread as it stands, and the live run
//	POST /api/copilotkit/agent/{agent}/stop/{thread} end the live run
//	POST /api/copilotkit/agent/{agent}/suggest       suggest what the person could say next
//	GET  /api/copilotkit/threads…                    lists of threads, and the inspector's views of one
//	POST /api/copilotkit                             any of these, in an envelope
//
// Every gateway serves them (gateway.New). The package itself runs nothing: it reads requests and writes answers in the
// protocol's form, and a [Service] has the runs and their streams. Texts and statuses are exactly those of CopilotKit's runtime,
// because its pages depend on them. handler.go has the table of routes, and missing.go the answers in place of
// services that only CopilotKit's makers run.
//
// Package wire makes what a page needs of a stream beyond AG-UI, such as questions that stay open after a refused answer. Other
// clients can have it too, with the gateway's ?refusals=ask.
package copilotkit
