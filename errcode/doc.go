// Package errcode has the codes of failures, and errors that have one. AG-UI leaves the code of RUN_ERROR open; these are the
// codes of this gateway and of what runs in it: stores, agents, models, tools. docs/contract.md says when each of them is used.
//
// A code is for programs, and each has one fixed sentence for people. The cause of an [Error] is for the log alone, because it
// may hold a secret or a prompt:
//
//	err := &errcode.Error{Code: errcode.ToolFailed, Err: cause}
//	err.Error()          // "tool_failed: " and the cause, for the log
//	err.Public()         // "A tool failed.", for clients
//	errcode.Of(err)      // errcode.ToolFailed, however often err was wrapped
//
// An agent that has something to say to its users says it in [Error.Text], under a code of the project or one of its own.
// What is wrong with a request is an [agui.FieldError]: it has the code [InvalidInput] without any wrapping, and clients are told
// the path and the problem, neither of which quotes a value.
package errcode
