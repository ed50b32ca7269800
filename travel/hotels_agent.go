package travel

// hotelDesk is the hotels agent.
var hotelDesk = desk[Hotel]{
	topic:   TopicHotels,
	list:    "/hotels",
	item:    "hotel",
	member:  "name",
	booking: "booking_hotel",

	options: func(t trip) ([]Hotel, int) {
		if t.to == nil {
			return nil, -1
		}
		return t.to.Hotels()
	},
	name: func(h Hotel) string { return h.Name },

	found:    hotelsFoundText,
	question: whichHotelText,
	booked:   hotelBookedText,
	thing:    func(h Hotel) string { return h.Name },
}
