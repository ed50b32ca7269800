// Package langgraph runs assistants of LangGraph servers: those of LangGraph.js' API server and of the platform's,
// which have the same HTTP API.
//
//	server := client.Options{URL: "http://127.0.0.1:2024"}
//	c, err := langgraph.New(langgraph.Options{Options: server, Assistant: "agent"})
//	…
//	far, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: "http://127.0.0.1:2024", Client: c})
//
// A [Client] turns a run there into the events of AG-UI, so that a [groupchat.Remote] can use it. The stream of the run
// has words, calls and state at once. Its outcome and its questions are read from the thread at the server. This also
// makes a cut stream harmless: the client joins it again, and reads the missed part from the thread.
package langgraph
