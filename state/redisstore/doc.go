// Package redisstore keeps threads in Redis, so that they survive a process and any replica serves any of them.
// [Open] returns a [state.Store]: what a store decides is decided by package state, and what is here is its backend, which
// reads and writes threads, each in one script.
//
// A thread is a handful of keys that share a hash tag, so that a script touches one slot. Keys begin with [Options.Prefix], which is
// agui unless set:
//
//	agui:{h}:thread  hash   the document, in parts so that only what changed is sent, and the live attempt
//	agui:{h}:msgs    hash   slot → message
//	agui:{h}:known   hash   message id → its place
//	agui:{h}:ints    hash   interrupt id → token
//	agui:{h}:memo    hash   recorded results of the turn that is not committed yet
//	agui:{h}:past    list   the way back to earlier states
//	agui:{h}:runs    list   the runs before the newest
//	agui:{h}:ends    list   where runs that are over end in the log, and when they did
//	agui:{h}:ev      stream the log; entry ids are frame ids, <fence>-<seq>, never Redis' own
//	agui:{h}:old     stream what was replaced and the log may still show
//	agui:{h}:packs   list   the log of runs that are over, packed: of each pack its frames' ids, and what it has
//
// The log of a run that is over is packed by the replica that has written it: its entries leave the stream ev, and a pack of a tenth of their
// bytes joins the list packs. Readers do not see the difference.
//
// Beside them, each in a slot of its own, are hints: agui:live:<n> finds runs whose owner died, agui:idx:<scope>:<n>
// and agui:name:<scope> find threads. They are written before or after the transition they belong to, never with it;
// whoever reads one looks at the thread itself and repairs what is wrong.
//
// Replicas tell each other what happens on channels, agui:sig:<replica> and one of all: signals to attempts, and which of the logs have grown that a
// replica follows. The thread's hash has who follows it.
//
// If somebody wants to know what a principal's threads take, agui:stored:{p}:sizes and agui:stored:{p}:due have it, of threads that were
// written since.
//
// A transition is computed from what one script read, and another writes it if nothing was written since. Every transition leaves a
// random tag behind. It is what the next is compared with, and how a script that is sent twice, because the reply to the
// first was lost, knows its own work.
//
// Only commands of Redis 7.0 are used.
package redisstore
