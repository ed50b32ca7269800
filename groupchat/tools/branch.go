package tools

import "cmp"

// A Branch says in which conversation a specialist works when it is called as a tool.
type Branch string

// String is the policy's word.
func (p Branch) String() string { return cmp.Or(string(p), "fork") }

// The conversations of a specialist that is a tool.
const (
	BranchFork   Branch = ""       // a copy of what the agent that calls it sees, and what it says stays there
	BranchFresh  Branch = "fresh"  // one that begins with the query, and what it says stays there
	BranchParent Branch = "parent" // the conversation of the agent that calls it, which its words join
	// its earlier queries on the thread and what it answered, and what it says stays there
	BranchSession Branch = "session"
)
