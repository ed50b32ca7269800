package travel

import "github.com/agui-gateway/gateway/travel/internal/catalogue"

// limits are the traveller's limits of prices and ratings; 0 is no limit. They change only the recommendation.
type limits struct {
	Flight int     `json:"flight,omitempty"` // dollars
	Hotel  int     `json:"hotel,omitempty"`  // dollars a night
	Stars  float64 `json:"stars,omitempty"`
}

// flight returns the flight to recommend instead of best, and whether it is within the limits: the least expensive one.
func (l limits) flight(options []catalogue.Flight, best int) (int, bool) {
	if l.Flight == 0 || options[best].Dollars() <= l.Flight {
		return best, true
	}
	for i := range options {
		if options[i].Dollars() < options[best].Dollars() {
			best = i
		}
	}
	return best, options[best].Dollars() <= l.Flight
}

// hotel returns the hotel to recommend, and whether it meets the limits: the first, else the cheapest with the rating.
func (l limits) hotel(options []catalogue.Hotel, best int) (int, bool) {
	rated := func(h catalogue.Hotel) bool { return h.Stars() >= l.Stars }
	fits := func(h catalogue.Hotel) bool { return rated(h) && (l.Hotel == 0 || h.Dollars() <= l.Hotel) }
	if fits(options[best]) {
		return best, true
	}
	least := -1
	for i, h := range options {
		if fits(h) {
			return i, true
		}
		if least < 0 || rated(h) && !rated(options[least]) || rated(h) == rated(options[least]) &&
			h.Dollars() < options[least].Dollars() {
			least = i
		}
	}
	return least, false
}
