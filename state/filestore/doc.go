// Package filestore keeps threads in one file, for one machine without a Redis: threads, questions and running runs
// outlive the process and the machine's power.
//
//	store, err := filestore.Open("data/threads.db", filestore.Options{})
//	if err != nil {
//		return err // names the file, and says what is wrong with it
//	}
//	defer store.Close()
//	g, err := gateway.New(gateway.Options{Agents: agents, Store: store, Shared: true})
//
// # What lasts
//
// What a call of the store has returned from is on the disk: the file is a bbolt database, whose every transaction is
// written with fsync, so that neither kill -9 nor a power cut takes back an admission, a commit, the result of an effect or
// a frame that a reader has seen. One goroutine writes all transactions. Admissions, commits and effects are written at
// once, and what else came meanwhile goes along; frames of logs wait a few milliseconds for each other, so that many runs
// that speak at once share their fsyncs.
//
// What ends with a process is not in the file: who waits for a thread, who reads a run, and until when a lease lasts.
// Whoever opens the file has it alone, so the runs that were live in it are nobody's: they are overdue at once, and a
// gateway goes on with them as soon as it starts instead of waiting for their leases to run out.
//
// # One process
//
// The file is locked while it is open. A second process waits for two seconds, in which one that was killed is gone, and is
// then refused with [ErrInUse]. Locks are the file system's: one that is mounted from another machine may not keep them,
// and does not belong under this file.
//
// # What is checked
//
// Bbolt maps its file and trusts it, so [Open] reads the whole file before, some hundred megabytes to a gigabyte in a
// second, and refuses one that is foreign, damaged or of a later version with an [*Error] that says so. Such a file is not
// changed. Each record has a checksum of its own over its value and its name, so that a single wrong bit is found: at the
// opening, or later by [state.ErrDamaged] for the one thread it is in. What no checksum shows is a whole file, or the end of
// a transaction, that is an older one of itself.
//
// # What it holds
//
// Each thread has a table (a bucket) of its own, with a small document that every step writes and further tables for what is
// large or many: messages, their places, tokens, the log, the state, what was replaced. A step therefore costs what it
// changes, not what the thread holds. Beside the threads stand an index of each principal's threads, the list of live
// runs, and the list of what expires when.
//
// How many bytes each thread takes is counted in memory, a few hundred bytes for a thread, and found anew when the file is checked at
// its opening, so that no record can be wrong about it. With [Options].Limit what is old goes when there is too much.
//
// What has expired is removed while the store is used, some threads at a time, and its pages are used again. A file never
// becomes smaller by itself; once more than 64 MiB of it are empty, the next opening copies the rest into a new one, which
// takes the place of the old one only when it is complete.
package filestore
