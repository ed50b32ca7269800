// Package history keeps requests to models within the limits of a [Policy] and of the servers: it omits old messages,
// lets models summarise them, and shortens requests that a server refuses as too long.
//
// The agents of package groupchat use a [Shortener] for each turn. They compose the request from the conversation; Ask
// shortens it, makes the call, and shortens it again if it was refused. The files:
//
//	policy.go     the settings of authors    fit.go        when and where a request is shortened, and by how much
//	request.go    the messages of a request  shortener.go  how long a request is; the notes for later runs
//	summary.go    summaries                  notes.go      what a thread keeps between runs
package history
