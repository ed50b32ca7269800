// Package store makes a [state.Store] of a [Backend]: [New]. The store reads a thread, computes a transition, and has
// the backend write it if the thread is unchanged. It has the leases, repeated calls, waiting requests and the readers
// of logs.
//
// # Writing a backend
//
// A backend keeps bytes and decides nothing. It must keep these promises:
//
//   - Each write is one atomic step. A thread has a tag, new with every transition, and [Backend.Write] writes only on
//     the tag that was read. Where a thread is one value, [Write.Prepare] makes all checks and returns the thread to
//     store, as [AttemptUpdate.Apply] and [QueueUpdate.Prepare] do for changes that are no transitions.
//   - Writes are idempotent, because their answer may be lost: one of the tag that the thread has already is done.
//     Frames that the log has already are skipped.
//   - Fences grow, also when a thread is deleted or expires and is made anew: [Record].Floor has the highest one.
//   - Parts that grow are stored apart from the thread, which each transition reads: messages, the log, earlier states.
//     The cost of a commit does not depend on the size of the thread.
//   - A deleted log may be read to its end for a while, by readers with a cursor; [Backend.Purge] removes that too, for
//     good.
//   - The size of a principal's threads is counted at no cost that grows with them: [Backend.Stored]. A backend with
//     a limit evicts old threads in the order that statetest.RunLimited requires.
//   - All times are those of the backend's clock. A thread is gone when its deadline is over, whether or not it was
//     removed.
//
// Begin with a map and a mutex, as package memstore does, and with the suite: statetest.RunBackend tests the backend
// method by method, and names the promise that is broken; statetest.Run then tests the store that is made of it. A
// backend that other processes write too is also a [LogFollower], and reports signals to the function that
// [Backend.Listen] gave it.
package store
