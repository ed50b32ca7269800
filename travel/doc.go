// Package travel is the gateway's demo: a team that plans a trip.
//
// A supervisor hands the conversation to three specialists in turn. The flights
// agent and the hotels agent each stop to let the traveller choose, the
// experiences agent adds restaurants and things to do, and what they found is
// kept in the shared state that the page shows. [Team] is all of them.
//
// The team needs no model and no network. What it knows about the world is the
// embedded catalogue:
//
//	paris, _ := travel.Lookup("paris")
//	tokyo, _ := travel.Lookup("Tōkyō")
//	options, recommended := travel.Flights(paris, tokyo)
//	hotels, best := tokyo.Hotels()
//
// and what it understands of a message is what [Parse] makes of it:
//
//	request := travel.Parse("Plan a trip to Paris for 5 days")
//	// request.Kind == travel.Plan, request.Destination.Name == "Paris", request.Days == 5
//
// The catalogue is read once and never changes. Every function and method here
// may be called from any goroutine; slices are the caller's own copies.
package travel
