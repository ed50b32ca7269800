// Package memstore stores threads in the memory of the process. [New] returns a [state.Store] with the same transitions
// as every other store; only a restart shows the difference. Tests use it, and gateways without settings.
//
// The backend starts no goroutine. An expired thread does not exist any more; a later call frees its memory.
package memstore
