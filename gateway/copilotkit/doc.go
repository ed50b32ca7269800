// Package copilotkit serves CopilotKit's own protocol: the routes that its pages call when their runtimeUrl is a gateway's, so that
// no runtime has to stand between the two.
//
//	GET  /api/copilotkit/info                        what is served
//	POST /api/copilotkit/agent/{agent}/run           a run's input in, its stream out
//	POST /api/copilotkit/agent/{agent}/connect       the thread as it stands, and what follows
//	POST /api/copilotkit/agent/{agent}/stop/{thread} the live run is ended
//	POST /api/copilotkit/agent/{agent}/suggest       what the person could say next
//	GET  /api/copilotkit/threads…                    lists and the inspector's views
//	POST /api/copilotkit                             any of these, in one envelope
//
// A gateway serves them without being told to (gateway.New). The package itself runs nothing: it reads and answers in the
// protocol's shapes, and asks a [Service] for runs and their streams. The shapes are those of CopilotKit's runtime, word for word,
// because its pages look at texts and statuses; handler.go has the table of routes, and missing.go what is answered in place of
// services that only CopilotKit's makers run.
//
// What a page needs in a stream beyond AG-UI, such as questions that stay open where a run fails, is the business of package
// wire and of the gateway's ?refusals=ask, which any client may use.
package copilotkit
