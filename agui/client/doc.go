// Package client runs agents on other servers that speak AG-UI, whichever version of it:
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
// An answer takes one way: server-sent events are read within the limits of [Options], decoded with forgiveness for older
// servers, brought into order where those were lax, expanded from chunks, and verified. So whoever ranges over [Client.Run]
// sees whole events in an order that the protocol allows, and a terminal one at the end.
//
// A [Client] is safe for concurrent use.
package client
