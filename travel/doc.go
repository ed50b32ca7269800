// Package travel is the gateway's demo: a team that plans a trip. It is written with what every user of package groupchat has,
// and is meant to be read as an example of a team in Go.
//
// A supervisor hands the conversation to three specialists in turn. The flights agent and the hotels agent each stop to let
// the traveller choose, the experiences agent adds restaurants and things to do, and what they found is kept in the shared
// state that the page shows.
//
//	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"travel": travel.Team()}})
//
// Read it in this order:
//
//	team.go        the chat: its participants, its state, and who may change which part of it
//	supervisor.go  the manager: what a message asks for, and who works next; its task outlives a pause (task.go)
//	desk.go        a specialist that offers options and asks for one of them; desks.go has the two that there are
//	guide.go       a specialist that asks nothing
//	understand.go  what a message asks for, through a model; limits.go, what a traveller wants of prices
//	trip.go        the shared state as the team reads and writes it
//	voice.go       how the team speaks: from its script, or through a model; words.go, where it may change neither names nor numbers
//	suggest.go     what the traveller could say next
//
// The team needs no model and no network; with a model it understands, and speaks, the traveller's language. What it knows about the world is travel/internal/catalogue; what it understands of
// a message, and the sentences it answers with, are travel/internal/english.
package travel
