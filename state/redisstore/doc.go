// Package redisstore keeps threads in Redis, so that they survive a process and any replica serves any of them.
// [Open] returns a [state.Store] that passes the same suite as the embedded one.
//
// A thread is a handful of keys that share a hash tag, so that a script touches one slot. Keys begin with [Options.Prefix], which is
// agui unless set:
//
//	agui:{h}:thread  hash   the document, in parts so that only what changed is sent, and the live attempt
//	agui:{h}:msgs    list   messages in the order they came, appended and never rewritten
//	agui:{h}:known   hash   message id → its place
//	agui:{h}:cuts    list   which messages left the conversation, and at which revision
//	agui:{h}:ints    hash   interrupt id → token
//	agui:{h}:ev      stream the log; entry ids are frame ids, <fence>-<seq>, never Redis' own
//	agui:{h}:ends    list   where runs that are over end in the log, and when they did
//	agui:{h}:memo    hash   recorded results of the turn that is not committed yet
//	agui:{h}:tomb    hash   what outlives a deletion: the fence, for a while
//
// Beside them, each in a slot of its own, are hints: agui:live:<n> finds runs whose owner died, agui:idx:<scope>:<n>
// and agui:name:<scope> find threads. They are written before or after the step they belong to, never with it;
// whoever reads one looks at the thread itself and repairs what is wrong.
//
// What a step means is computed here, by the pure functions of package state, from what one script read; another
// script writes it if nothing was written since. Every step leaves a random tag behind. It is what the next is
// compared with, and how a script that is sent twice, because the reply to the first was lost, knows its own work.
//
// Only commands of Redis 7.0 are used.
package redisstore
