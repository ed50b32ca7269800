// Package provider is what models behind servers have in common, whichever API the server has: a call with its limits,
// retries and faults, and the reply that is put together while it comes.
//
// An implementation of [model.Model] makes a [Client] of its options. In Stream it writes the request and calls
// [Client.Call], with a function that makes one [Try]: it sends the request with [Try.Send], reads the body, tells the
// Try's [Draft] what it finds, and ends with [Draft.End]. The rest is done here: how often and when to try again, when
// a server has been silent for too long, what may be logged of its words, which code an error has, and the question
// whether the run is still this process'.
//
//	client.go  the limits of a call, and its tries
//	try.go     one request, with the size of its reply; idle.go how long it may be silent
//	draft.go   the reply in the making
//	fault.go   failures: their codes, and which of them are tried again
package provider
