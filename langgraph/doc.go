// Package langgraph runs assistants of LangGraph servers: those of LangGraph.js' API server and of the platform's, which have the same
// HTTP API.
//
//	c, err := langgraph.New(langgraph.Options{URL: "http://127.0.0.1:2024", Assistant: "agent"})
//	…
//	far, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: "http://127.0.0.1:2024", Client: c})
//
// A [Client] turns a run there into the events of AG-UI, so that a [groupchat.Remote] takes it for one of its own kind. The stream of the
// run is for what is to be seen at once: words, calls, state. What the run has come to in the end, and which questions it waits with, is
// read from the thread at the server, which is also what makes a cut stream harmless: it is joined again, and what was missed is told
// from the thread.
package langgraph
