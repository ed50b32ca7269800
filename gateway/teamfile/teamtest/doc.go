// Package teamtest plays golden conversations with teams: files in YAML with the requests of a person, the replies of
// models, and the expected results. `gateway test` runs it; docs/testing.md is the manual of the format, and
// docs/conversation.schema.json its JSON Schema for editors.
//
//	results, err := teamtest.Run(ctx, "conversations", teamtest.Options{Load: teamfile.Options{}})
//	…
//	for _, r := range results {
//		r.Write(os.Stdout, false)
//	}
//
// Each conversation has a separate gateway, with threads in memory, which is called over AG-UI in this process: the
// team file has the same effect as when it is served. Models, MCP servers and remote agents are those of the team
// unless the conversation replaces them.
//
//	conversation.go   reads a file; step.go its requests, expect.go its expectations
//	script.go         models with scripted replies, recorded.go with recorded ones
//	tools.go          replacements of MCP servers, requests.go of HTTP endpoints, remotes.go of remote agents
//	play.go           plays one conversation: talk.go its steps, client.go one request; heard.go its result
//	check.go          compares results with expectations, update.go rewrites expectations
//	run.go            plays all conversations below a directory; result.go their results
package teamtest
