// Package translate translates the events of an agent on another server into events of the turn that asks it.
//
//	translator.go  the translator, and the items of the remote agent that it knows
//	events.go      events that are passed on, under ids and in the name of the turn
//	snapshot.go    the parts of message snapshots that were not streamed
//	activity.go    activities, files in results, and signals of the server
//	subagents.go   agents behind the remote one, and steps
//	earlier.go     messages of earlier runs
//	state.go       the state of the remote agent, which is kept in a part of ours
package translate
