// Package mcp lets agents use the tools of MCP servers: programs that are started and spoken to over stdio, and servers
// reached over streamable HTTP.
//
//	files, err := mcp.New(mcp.Options{Name: "files", Command: "mcp-server-files", Args: []string{"/srv/docs"}})
//	defer files.Close()
//	source := files.Source(mcp.SourceOptions{Only: []string{"read_file"}})
//	agent := &groupchat.LLM{Model: model, Sources: []groupchat.ToolSource{source}}
//
// # When a server is away
//
// A [Server] connects when one of its tools is first wanted, not before: a gateway starts without its servers, and an
// unused program is not started. A turn waits for the connection for at most [Options.ConnectTimeout]. After that it
// continues with the tools that are known from before, and their calls fail with a result that says so, or with none.
// Until the next attempt, which comes after 1 second at first and 30 at most, turns do not wait.
//
// A lost connection is replaced when it is next needed. A call is sent again only if the server cannot have seen it;
// otherwise the result says that the effect of the call is unknown.
//
// When a call or a list is not answered in time, the server is probed and has 10 seconds to answer. If it does not, the
// connection is given up: a program is killed, the calls that wait for it fail, and the next call connects anew. A
// server that works is not probed at other times, because one that handles requests one after the other answers no
// probe then. An idle server is probed every [Options.KeepAlive].
//
// # Trust
//
// Servers are other people's code. A program gets the variables of the environment it needs to run and those in
// [Options.Env], none of the gateway's secrets. Its log records and its last output have the values of Env and Headers
// masked. Servers are offered elicitation by a form, and neither sampling nor roots. The text of a result is kept as
// the server wrote it, up to [Options.MaxResult] bytes. Images and audio are for people: the model gets the text, or
// the types of the media if there is none.
//
// # The files
//
//	options.go     the settings of a server and of its tools
//	server.go      connecting, offered capabilities, notifications
//	connection.go  a standing connection, and its probes
//	transport.go   how programs are started; header.go, limit.go requests over HTTP
//	source.go      the tools for agents
//	call.go        one call, with its repetition; underway.go calls without an answer; content.go its result
//	input.go       questions of servers to people
//	resource.go    texts of resources and prompts
//	failure.go     what a server wrote last; secret.go texts without secrets, for logs
package mcp
