// Package errcode has the codes of failures, and errors with a code. AG-UI leaves the code of RUN_ERROR open; these are
// the codes of this gateway and its parts: stores, agents, models, tools. docs/reference/errors.md describes the use of
// each.
//
// A code is for programs, and has one fixed sentence for people. The cause of an [Error] is for the log only, because
// it may contain a secret or a prompt:
//
//	err := &errcode.Error{Code: errcode.ToolFailed, Err: cause}
//	err.Error()          // "tool_failed: " and the cause, for the log
//	err.Public()         // "A tool failed.", for clients
//	errcode.Of(err)      // errcode.ToolFailed, however often err was wrapped
//
// An agent with a message for its users puts it in [Error.Text], with a code of the project or of the agent. Errors in
// a request are [agui.FieldError] values: they have the code [InvalidInput] without wrapping, and clients get the path
// and the problem, which quote no value.
package errcode
