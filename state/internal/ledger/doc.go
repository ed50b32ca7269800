// Package ledger counts the bytes of the threads of a store, of each principal and in all, and decides which are
// removed first when there is no more room: the oldest logs of runs that ended, then the least recently used
// threads, and those with an open question only if no other is left. Threads with a live run stay.
//
// The ledger counts what a backend reports, and removes nothing itself. Each operation takes O(log n) of the number
// of threads, so that it can be part of each write.
package ledger
