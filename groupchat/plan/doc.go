// Package plan has a manager that plans: it lets a model write down the known facts of a task and a plan, lets a person
// see and change the plan, hands out the work step by step, judges after each turn whether it advances, plans anew when
// it does not, and sums up.
//
//	team := &groupchat.Chat{
//		Manager: plan.Manager(plan.Options{Model: m, Review: &plan.Review{}, Store: "/plan"}),
//		Participants: []groupchat.Participant{…},
//	}
//
// The [Ledger] is part of the chat's checkpoint, so that it outlives pauses and takeovers, and with Options.Store also
// of the shared state, where pages see it change. A run of the chat is one task: the user's next message begins another
// one, with what the ledger in the state knows.
//
// The package uses nothing of package groupchat that other programs cannot: groupchat.SpeakingManager for its turns,
// and Turn.AskModel and View.AskModel for its model.
package plan
