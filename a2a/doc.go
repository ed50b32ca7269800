// Package a2a asks agents that speak the Agent2Agent protocol (A2A), and tells what they answer as events of AG-UI: a
// [Client] is a groupchat.RemoteClient.
//
// It speaks JSON-RPC over HTTP, of A2A 1.0 and 0.3, whichever the agent's card names; the wire is in this package. The
// protocol's own module for Go has only 0.3 in the versions that a module proxy has, and reads answers of any length,
// so it is not used.
//
// An agent's thread is a context there, under the thread's id. A run sends one message with everything that is new to
// the agent, and follows its task to the end, or to a question: input-required and auth-required are interrupts. Their
// answers continue the same task.
//
//	client.go      the client and its options; card.go the agent's card, and where it is asked
//	attempt.go     one run, with its outcome by the state of the task
//	follow.go      a task after the first answer: streams that are joined again, and polling
//	outgoing.go    the message that is sent; dialect.go its form in both versions
//	rpc.go         JSON-RPC; event.go what results hold, and the states of tasks
//	translator.go  messages and artifacts as events; part.go their parts, usage.go tokens
//	question.go    questions of tasks
package a2a
