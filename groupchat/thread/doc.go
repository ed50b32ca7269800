// Package thread runs agents of package groupchat without a server, for programs and tests. [Run] answers one message:
//
//	result, err := thread.Run(ctx, desk, "Write about leaves")
//	…
//	result, err = result.Answer(ctx, map[string]any{"tone": "dry"})
//
// A [Thread] is such a conversation over several runs. Between them it is plain JSON.
package thread
