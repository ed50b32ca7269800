// Package copilotkit serves CopilotKit's protocol: the routes that its pages call when their runtimeUrl is a gateway's,
// so that no separate runtime is needed.
//
//	GET  /api/copilotkit/info                        list the agents
//	POST /api/copilotkit/agent/{agent}/run           start or resume a run, and stream it
//	POST /api/copilotkit/agent/{agent}/connect       stream the current thread, and the live run
//	POST /api/copilotkit/agent/{agent}/stop/{thread} end the live run
//	POST /api/copilotkit/agent/{agent}/suggest       suggest the person's next message
//	GET  /api/copilotkit/threads…                    lists of threads, and the inspector's views of one
//	POST /api/copilotkit                             any of these, in an envelope
//
// Every gateway serves them (gateway.New). The package itself runs nothing: it decodes requests and encodes responses
// in the protocol's form, and a [Service] has the runs and their streams. Texts and statuses are exactly those of
// CopilotKit's runtime, because its pages depend on them. handler.go has the table of routes, and missing.go the
// responses for services that only CopilotKit's makers run.
//
// Package wire adds the parts of a stream that pages need beyond AG-UI, such as questions that stay open after a
// refused answer. Other clients get them with the gateway's ?refusals=ask.
package copilotkit
