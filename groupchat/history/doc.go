// Package history keeps requests to models within the limits of a [Policy] and of the servers: it omits old messages,
// lets models summarise them, and shortens requests that a server refuses as too long.
//
// The agents of package groupchat use a [Shortener] for each turn. They compose the request from the conversation; Ask
// shortens it, makes the call, and shortens it again if it was refused. The files:
//
//	policy.go     the settings of authors          fit.go      when a request is shortened, and by how much
//	request.go    the messages of a request        plan.go     where a conversation can be cut
//	shortener.go  the notes for later runs         count.go    how long a request is
//	results.go    results of tools                 summary.go  summaries of omitted messages
//	notes.go      what a thread keeps between runs
package history
