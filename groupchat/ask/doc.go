// Package ask has what passes between agents and the people they ask: answers, verdicts, and the pauses of turns that
// wait for them.
//
// An agent asks with the methods of its turn, such as Ask of groupchat.Turn, and returns the [*Pause] that it receives.
// The files are ask.go with answers and pauses, and verdict.go with decisions.
package ask
