// Package document is the state that agents share with their readers: one JSON object of a thread.
//
// Agents change a [Document] pointer by pointer ([Document.Set]) through [Reducers]. Each change is an RFC 6902
// patch that any reader can apply, with its inverse; [Diff] compares whole documents. An agent sees a [Scope]: the
// shared document, a private one, or one with declared inputs and outputs. [MergeClient] merges the changes that a
// client made in its copy, [Document.ApplyOutside] applies a patch from outside of a run, and a [History] leads
// back to the states at earlier runs.
//
//	document.go       a document: reading, Set, Remove, Apply; document_fill.go initial values
//	patch.go          patches of AG-UI on the engine of internal/jsonpatch
//	change.go         what one call changed, and its event
//	reducer.go        append, merge and replace
//	merge.go          the state of a client; spelling.go its numbers
//	outside.go        a patch from outside; outside_apply.go applies it
//	history.go        earlier states
//	scope.go          the part of the state that an agent sees
//	filled.go         values that say nothing
package document
