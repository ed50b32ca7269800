// Package redact makes what another server said fit for a log: one short line, without secrets and without what people
// said.
//
// An error of a model's server, an MCP server or a remote agent is the best explanation of a failed turn, but it may
// quote the key it was sent, or the conversation. [Line] takes out passages that are known (secrets and texts that the
// server was given) and what looks like a key. [Sentence] finds the part of an error's body that is meant for people,
// and [URL] is where a request went, without credentials:
//
//	log.Warn("model failed", "url", redact.URL(u), "error", redact.Line(redact.Sentence(body), secrets, prompts))
package redact
