// Package english is the language of the travel team: it parses messages of travellers in plain English, and has the
// sentences of the team's replies.
//
//	request := english.Parse("Plan a trip to Paris for 5 days")
//	// request.Kind == english.Plan, request.Destination.Name == "Paris", request.Days == 5
//
// [Parse] compares words and uses no grammar. It splits a message into words in a folded form: lower case, without
// accents and apostrophes. Cities are found by their names, and the word before a name determines its role in the trip:
// origin, destination, or none. Lists of phrases (words.go) decide the rest.
//
// Every function is safe for concurrent use.
package english
