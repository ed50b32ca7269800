// Package teamtest plays golden conversations with teams: files in YAML that say what a person sends, what models reply, and what is to come
// of it. It is what `gateway test` does; docs/testing.md is the manual of the format, and docs/conversation.schema.json its JSON Schema for
// editors.
//
//	results, err := teamtest.Run(ctx, "conversations", teamtest.Options{Load: teamfile.Options{}})
//	…
//	for _, r := range results {
//		r.Write(os.Stdout)
//	}
//
// A conversation is played by a gateway of its own, with threads in memory, that is asked over AG-UI in this process: everything that the
// team file says counts, as it does when it is served. Models, MCP servers and remote agents are those of the team unless the file puts
// something in their place.
//
//	conversation.go   a file, read; step.go what is sent, expect.go what is to come of it
//	script.go         models that reply as the file says, recorded.go as a real one did
//	tools.go          MCP servers that the file puts in place, requests.go HTTP endpoints, remotes.go remote agents
//	play.go           one conversation, client.go one run; heard.go what came of it
//	check.go          what came against what was expected, update.go what came in its place
//	run.go            all conversations below a directory; result.go what is told of each
package teamtest
