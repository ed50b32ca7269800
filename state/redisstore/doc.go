// Package redisstore stores threads in Redis, so that they survive a process and any replica serves any of them. [Open]
// returns a [state.Store]. Package state makes its decisions; this package is the backend, which reads and writes
// threads, each in one script.
//
// A thread is a few keys with the same hash tag, so that a script touches one slot. Keys begin with [Options.Prefix],
// which is agui unless set:
//
//	agui:{h}:thread  hash   the document, in parts so that only changes are sent, and the live attempt
//	agui:{h}:msgs    hash   slot → message
//	agui:{h}:known   hash   message id → its place
//	agui:{h}:ints    hash   interrupt id → token
//	agui:{h}:memo    hash   recorded results of the turn that is not committed yet
//	agui:{h}:past    list   patches to earlier states
//	agui:{h}:runs    list   the runs before the newest
//	agui:{h}:ends    list   the ends of the runs in the log, with their times
//	agui:{h}:ev      stream the log; entry ids are frame ids, <fence>-<seq>, never Redis' own
//	agui:{h}:old     stream replaced values that the log may still show
//	agui:{h}:packs   list   packs of runs that ended: the ids of their frames, and the frames
//
// The replica that has written a run packs its log after the end: the entries leave the stream ev, and a pack with a
// tenth of their bytes joins the list packs. Readers get the same frames.
//
// Hints are keys in other slots: agui:live:<n> finds runs with a dead owner, agui:idx:<scope>:<n> and agui:name:<scope>
// find threads. They are written before or after their transition, never with it. A reader of a hint reads the thread
// too, and corrects the hint.
//
// Replicas send each other messages on the channels agui:sig:<replica> and agui:sig:all: signals to attempts, and the
// names of followed logs that have grown. The thread's hash has the followers of its log.
//
// The sizes of a principal's threads are in agui:stored:{p}:sizes and agui:stored:{p}:due, from the first call of
// Stored on. The format of all threads is in agui:format.
//
// A transition is computed from a thread that one script has read, and another script writes it if the thread is
// unchanged. Every transition leaves a random tag. The next one is compared with it, and a script that is repeated
// because its reply was lost recognizes its own tag.
//
// Only commands of Redis 7.0 are used.
package redisstore
