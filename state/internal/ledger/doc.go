// Package ledger knows how many bytes the threads of a store take, each principal's and all together, and which of them go first when
// there is no more room: the oldest logs of runs that are over, then the threads that nobody has used for longest, and those with an
// open question only if no other is left. A thread with a live run never goes.
//
// It counts what a backend tells it, and removes nothing itself. Everything costs O(log n) of the number of threads, so that it can be
// asked with each write.
package ledger
