// Package english is the language of the travel team: it understands what a traveller writes in plain English, and has
// the sentences that the team answers with.
//
//	request := english.Parse("Plan a trip to Paris for 5 days")
//	// request.Kind == english.Plan, request.Destination.Name == "Paris", request.Days == 5
//
// [Parse] works on words and knows no grammar. A message is split into words, which are compared in a folded form: lower
// case, without accents and apostrophes. Cities are found by their names, and the word before a name says what the city is
// to the trip: its origin, its destination, or no part of it. What remains is decided by lists of phrases (words.go).
//
// Every function may be called from any goroutine.
package english
