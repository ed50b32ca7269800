// Package travel is the gateway's demo: a team that plans a trip. It uses only the public API of package groupchat, as
// an example of a team in Go.
//
// A supervisor hands the conversation to three specialists in turn. The flights agent and the hotels agent each stop to
// let the traveller choose, the experiences agent adds restaurants and activities, and their results are in the shared
// state that the page shows.
//
//	g, err := gateway.New(gateway.Options{Agents: map[string]groupchat.Agent{"travel": travel.Team()}})
//
// Read it in this order:
//
//	team.go        the chat: its participants, its state, and the write access to each part of it
//	supervisor.go  the manager: the kind of message, and the next speaker; its task survives a pause (task.go)
//	desk.go        a specialist that offers options and asks for one of them; desks.go has the two instances
//	guide.go       a specialist without questions
//	understand.go  reads a message with a model; limits.go, the traveller's limits of prices
//	trip.go        the shared state as the team reads and writes it
//	voice.go       the team's sentences: fixed, or through a model; words.go, with names and numbers kept
//	suggest.go     suggested messages
//
// The team needs no model and no network; with a model it uses the traveller's language. Its world is
// travel/internal/catalogue; its parser and its English sentences are travel/internal/english.
package travel
