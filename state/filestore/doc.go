// Package filestore stores threads in one file, for one machine without a Redis. Threads, questions and live runs
// survive the process and a power cut.
//
//	store, err := filestore.Open("data/threads.db", filestore.Options{})
//	if err != nil {
//		return err // names the file, and its problem
//	}
//	defer store.Close()
//	g, err := gateway.New(gateway.Options{Agents: agents, Store: store, Shared: true})
//
// # Durability
//
// The file is a bbolt database, and every transaction is written with fsync. A call returns when its change is on
// the disk, so neither kill -9 nor a power cut takes back an admission, a commit, the result of an effect or a
// frame that a reader has seen. One goroutine writes all transactions. Admissions, commits and effects are written
// at once, together with other pending changes; frames of logs wait a few milliseconds for each other, so that
// concurrent runs share their fsyncs.
//
// Waiting requests, readers and the ends of leases are not in the file. A process that opens the file has it alone,
// so the runs that were live in it have no owner: they are overdue at once, and the gateway continues them without
// waiting for their leases.
//
// # One process
//
// The file is locked while it is open. A second process waits for two seconds, in case the first one was just
// killed, and then fails with [ErrInUse]. Locks are those of the file system: a network file system may not keep
// them and is not suitable.
//
// # Checks
//
// Bbolt maps its file and trusts it. So [Open] first reads the whole file, some hundred megabytes to a gigabyte in
// a second, and refuses a foreign or damaged file, or one of another format, with an [*Error] that describes the
// problem. It does not change such a file. Each record has a checksum over its value and its name, so that a single
// wrong bit is found when the file is opened, or later as [state.ErrDamaged] for the one thread. Checksums do not
// detect that the whole file, or the end of a transaction, is an older version of itself.
//
// # Layout
//
// Each thread has a table (a bucket) with a small document that every transition writes, and tables for its large
// or numerous parts: messages, places, tokens, the log, the state, replaced values. The cost of a transition
// depends on its changes, not on the size of the thread. Beside the threads there are an index of each principal's
// threads, the list of live runs, and the list of deadlines.
//
// The size of each thread is counted in memory, a few hundred bytes for a thread, and is computed again when the
// file is opened. With [Options].Limit old data is removed when the file has too much.
//
// Expired threads are removed while the store is used, some at a time, and their pages are used again. A file does
// not shrink while it is open. If 64 MiB of it are empty, or more than a quarter of [Options].Limit, the next opening
// copies the rest into a new file, which replaces the old one once it is complete.
package filestore
