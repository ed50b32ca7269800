// Package client runs agents on other servers that use AG-UI, of any version:
//
//	c, err := client.New(client.Options{URL: "https://example.com/agents/travel"})
//	…
//	for event, err := range c.Run(ctx, client.Request{Input: input}) {
//		if err != nil {
//			return err // a *client.Error, or the cause of ctx
//		}
//		…
//	}
//
// All responses take the same path: server-sent events are read within the limits of [Options], decoded leniently for
// older servers, reordered where those were lax, expanded from chunks, and verified. So [Client.Run] yields complete
// events in an order that the protocol allows, with a terminal one at the end.
//
// Clients of other protocols use the parts: a [Session] sends requests within the limits, a [Writer] writes the events
// of a run, and [Once] returns them.
//
//	client.go   a client, its options and its requests
//	stream.go   one run: the request, the response, a stop if it does not reach its end
//	session.go  requests within the limits; call.go requests to other APIs, read.go streams
//	repair.go   the order of events of older servers
//	error.go    failures, with the delay that a server asked for; hint.go other kinds of servers at the URL
//	server.go   kinds of servers, their stops and questions; runtime.go runtimes of CopilotKit
//	thread.go   threads of gateways; probe.go whether an agent answers
//	writer.go   the events of clients of other protocols; adapter.go their runs
//
// A [Client] is safe for concurrent use.
package client
