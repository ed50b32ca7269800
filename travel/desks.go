package travel

import (
	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

var flightDesk = desk[catalogue.Flight]{
	topic:      english.Flights,
	list:       "/flights",
	item:       "flight",
	member:     "airline",
	bookedStep: "booking_flight",

	options: func(t trip) ([]catalogue.Flight, int) { return catalogue.Flights(t.from, t.to) },
	name:    func(f catalogue.Flight) string { return f.Airline },
	thing:   func(f catalogue.Flight) string { return "the " + f.Airline + " flight" },

	within: limits.flight,
	limited: func(l limits, best catalogue.Flight, met bool) string {
		if l.Flight == 0 {
			return ""
		}
		return english.FlightLimit(best, l.Flight, met)
	},
	found: func(t trip, options int, best catalogue.Flight, _ int) string {
		return english.FlightsFound(t.from, t.to, options, best)
	},
	question: func(t trip, best catalogue.Flight) string { return english.WhichFlight(t.from, t.to, best) },
	booked:   func(t trip, f catalogue.Flight, _ int) string { return english.FlightBooked(t.from, t.to, f) },
}

var hotelDesk = desk[catalogue.Hotel]{
	topic:      english.Hotels,
	list:       "/hotels",
	item:       "hotel",
	member:     "name",
	bookedStep: "booking_hotel",

	options: func(t trip) ([]catalogue.Hotel, int) {
		if t.to == nil {
			return nil, -1
		}
		return t.to.Hotels()
	},
	name:  func(h catalogue.Hotel) string { return h.Name },
	thing: func(h catalogue.Hotel) string { return h.Name },

	within: limits.hotel,
	limited: func(l limits, best catalogue.Hotel, met bool) string {
		if l.Hotel == 0 && l.Stars == 0 {
			return ""
		}
		return english.HotelLimit(best, met)
	},
	found: func(t trip, options int, best catalogue.Hotel, days int) string {
		return english.HotelsFound(t.to, options, best, days)
	},
	question: func(t trip, best catalogue.Hotel) string { return english.WhichHotel(t.to, best) },
	booked:   func(t trip, h catalogue.Hotel, days int) string { return english.HotelBooked(t.to, h, days) },
}

// speakWith is the desk with a voice.
func (d desk[T]) speakWith(v voice) desk[T] {
	d.voice = v
	return d
}

// names returns the names of the options on a topic, which is flights or hotels.
func (t trip) names(topic english.Topic) []string {
	if topic == english.Flights {
		return flightDesk.names(t)
	}
	return hotelDesk.names(t)
}
