// Package state is what outlives a turn: the state that agents share with their readers, the thread that a conversation
// belongs to, and the store that keeps both.
//
// # Threads
//
// A [Thread] is a conversation with its runs, its checkpoint and its open questions, each a [Token]. What a request
// means for it is decided by admit. Everything that changes a thread is a [Transition], computed from what the
// thread was by a pure function: [Plan] for a request, [PlanCommit] for what a run keeps, [PlanTake] for a
// takeover, and so on. A transition is written as a whole or not at all.
//
// # Stores
//
// A [Store] keeps threads. [Admitter.Begin] admits a request; if it starts a run, the caller has a [Lease], with
// which it appends frames to the log ([Writer.Append]) and commits messages, state and checkpoint
// ([Writer.Commit]). Each lease has a higher fence than all before it. A lost lease changes nothing: its owner gets
// [ErrLeaseLost]. If an owner does not renew its lease, [Admitter.Overdue] finds the run, and another process
// continues it with [Admitter.Take]. Readers follow the log with [ThreadReader.Tail], from their cursor.
//
// Packages below this one have stores in memory, in Redis and in a file.
//
// # Writing a backend
//
// [NewStore] makes a store of a [Backend]. The store reads a thread, computes a transition, and has the backend
// write it if no one else wrote the thread meanwhile; leases, repeated calls, waiting requests and the readers of logs
// are its business. A backend keeps bytes and decides nothing, but it must keep these:
//
//   - Each write is one atomic step. A thread has a tag, new with every transition, and [Backend.Write] writes only on
//     the tag that was read. Where a thread is one value, [Write.Prepare] makes all checks and says what to store, as
//     [AttemptUpdate.Apply] and [QueueUpdate.Prepare] do for changes that are no transitions.
//   - A write may be repeated, because its answer was lost: one of the tag that the thread has already is done. Frames
//     that the log has already are skipped.
//   - Fences grow, also when a thread is deleted or expires and is made anew: [Record].Floor says which were given out.
//   - What grows is kept apart from what every transition reads: messages, the log, earlier states. A commit must not
//     cost what the thread holds.
//   - A deleted log may be read to its end for a while, by readers with a cursor; [Backend.Purge] removes that too, for
//     good.
//   - What a principal's threads take is counted at no cost that grows with them: [Backend.Stored]. A backend that has
//     a limit evicts old threads in the order that statetest.RunLimited requires.
//   - All times are the backend's clock's. A thread is gone when its deadline is over, whoever removes it and when.
//
// Begin with a map and a mutex, as package memstore does, and with the suite: statetest.RunBackend asks the backend
// method by method, and names the promise that is broken; statetest.Run then asks the store that is made of it. A
// backend that other processes write too is a [LogFollower] as well, and tells of signals by what [Backend.Listen]
// gave it.
package state
