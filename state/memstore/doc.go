// Package memstore keeps threads in memory, as long as the process lives. [New] returns a [state.Store] that does what one
// on a server does, in the same transitions, so that nothing above it can tell the difference but by a restart: it is what
// tests and a gateway without settings use.
//
// It has no goroutine. What expired does not exist any more, and the memory it takes is freed by a later call.
package memstore
