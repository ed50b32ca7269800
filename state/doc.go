// Package state is what outlives a turn: the state agents share with their readers, the thread a
// conversation belongs to, and the store that keeps both.
//
// A [Document] is one thread's shared state, a JSON object. Agents change it pointer by pointer
// ([Document.Set]) through reducers, and every change is told as an RFC 6902 patch that any reader can apply,
// with the patch that takes it back; a [Diff] is what remains for whole documents. What an agent sees is a
// [Scope]: the shared document, one of its own, or one with declared inputs and outputs. [MergeClient]
// brings in what a client changed in its copy, and a [History] leads back to the state at earlier runs.
//
// A [Thread] is a conversation with its runs, its checkpoint and its open questions, each a [Token]. What
// a request means for it is decided by [Admit], a pure function; a [Store] makes that decision, and every
// commit, atomic.
//
// [NewStore] makes a store of a [Backend]: it reads a thread, computes a [Transition], and has the backend write it if nobody
// wrote the thread meanwhile. Who may write is decided by leases: [Store] hands one to the attempt that begins a run, each
// with a higher fence than all before it, and whoever has lost theirs changes nothing any more. A backend keeps bytes and
// decides nothing; memory, Redis and others are packages below this one, and the suite in state/statetest holds each to
// the same contract.
package state
