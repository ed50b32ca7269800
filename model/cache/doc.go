// Package cache keeps replies of models, so that a question that was answered is not paid for again:
//
//	m, err := cache.New(inner, cache.Options{TTL: time.Hour})
//
// The same question is the same model, asker and whole request: every message with its pictures, every tool, the
// schema. Ids of calls are compared by their order, because they differ each time. A reply is kept for its principal
// ([model.Asker]); others get it only if Options.Shared is set. Without a known principal, as outside of agents,
// nothing is kept then.
//
// Kept are replies that are complete and of use to an agent: no errors, no refusals, none that hit a limit on its
// length, none without words and calls. A turn that failed and is tried again asks the model anew. Calls of tools in a
// reply that was kept are made like any others: people are asked about them, and their results are not kept here.
//
// A reply that was kept is handed on through the deltas like any, has the identity of the model that made it, and has
// used nothing.
//
// The number and the bytes of replies are bounded, and the least recently used ones go first. They are in this process'
// memory: another replica has its own, and a process that ends keeps nothing.
package cache
