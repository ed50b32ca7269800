// Package gateway serves agents over HTTP as AG-UI 1.0 event streams.
//
//	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"hello": hello}})
//	http.ListenAndServe("127.0.0.1:8080", g) // g is an http.Handler
//
// A request walks through the package one way, a file per stage:
//
//	decode.go    body ─► protocol types ─► state.Request          400 before anything started
//	admit.go     one atomic step in the store: what it means       run, join, hydrate, refuse, busy
//	attempt.go   the run, in a goroutine of the server's own       RUN_STARTED … RUN_FINISHED or RUN_ERROR
//	journal.go   what it says and changes, kept at turn boundaries
//	recorder.go  its frames, appended to the log in batches
//	reader.go    the log, tailed ─► Wire ─► SSE ─► client          also the POST's own response
//
// A run belongs to the server: readers come and go, and each sees the log from its own cursor, so live and
// replayed streams are the same code. A reader is given a frame only after the store acknowledged it.
package gateway
