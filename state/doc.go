// Package state defines the threads of conversations, the transitions that change them, and the interface of the stores
// that keep them. Package state/document has the state that agents share with their readers.
//
// # Threads
//
// A [Thread] is a conversation with its runs, its checkpoint and its open questions, each a [Token]. Admission decides
// what a [Request] means for it. Everything that changes a thread is a [Transition], which a pure function computes
// from the thread before: [Plan] for a request, [PlanCommit] for the results of a run, [PlanTake] for a takeover, and
// so on. A transition is written as a whole or not at all.
//
// # Stores
//
// A [Store] keeps threads. [Admitter.Begin] admits a request; if it starts a run, the caller has a [Lease], with
// which it appends frames to the log ([Writer.Append]) and commits messages, state and checkpoint
// ([Writer.Commit]). Each lease has a higher fence than all before it. A lost lease changes nothing: its owner gets
// [ErrLeaseLost]. If an owner does not renew its lease, [Admitter.Overdue] finds the run, and another process
// continues it with [Admitter.Take]. Readers follow the log with [ThreadReader.Tail], from their cursor.
//
// Package state/store makes a store of any backend. The packages beside it are backends in memory, in Redis and in a
// file.
package state
