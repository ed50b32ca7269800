package travel

// flightDesk is the flights agent.
var flightDesk = desk[Flight]{
	topic:   TopicFlights,
	list:    "/flights",
	item:    "flight",
	member:  "airline",
	booking: "booking_flight",

	options: func(t trip) ([]Flight, int) { return Flights(t.from, t.to) },
	name:    func(f Flight) string { return f.Airline },

	found:    flightsFoundText,
	question: whichFlightText,
	booked:   flightBookedText,
	thing:    func(f Flight) string { return "the " + f.Airline + " flight" },
}
