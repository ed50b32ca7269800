package travel

import "testing"

func TestNamed(t *testing.T) {
	t.Parallel()
	between := func(from, to string) trip {
		a, _ := Lookup(from)
		b, _ := Lookup(to)
		return trip{from: a, to: b}
	}
	west, east := between("Amsterdam", "San Francisco"), between("London", "Istanbul")
	for _, tt := range []struct {
		trip  trip
		text  string
		topic Topic
		want  string
	}{
		{west, "Take the Ritz instead", TopicHotels, "The Ritz-Carlton"},
		{west, "the ritz-carlton please", TopicHotels, "The Ritz-Carlton"},
		{west, "ZEPHYR!", TopicHotels, "Hotel Zephyr"},
		{west, "I want the other hotel", TopicHotels, ""},
		{west, "Zoe or Zephyr", TopicHotels, ""},
		{west, "Zephyr instead of Zoe", TopicHotels, "Hotel Zephyr"},
		{west, "not Zoe, the Ritz", TopicHotels, "The Ritz-Carlton"},
		{west, "not the Ritz", TopicHotels, ""},
		{west, "I don't want the Ritz", TopicHotels, ""},
		{west, "anything but the Ritz", TopicHotels, ""},
		{west, "rather Zephyr than the Hotel Zoe", TopicHotels, "Hotel Zephyr"},
		{west, "Switch from KLM to United", TopicFlights, "United"},
		{west, "a flight with klm", TopicFlights, "KLM"},
		{west, "a different flight", TopicFlights, ""},
		{west, "Lufthansa", TopicFlights, ""},
		{east, "Turkish instead", TopicFlights, "Turkish Airlines"},
		{east, "another hotel in Istanbul", TopicHotels, ""},
		{east, "The Bank Hotel Istanbul", TopicHotels, "The Bank Hotel Istanbul"},
		{east, "the Pera Palace", TopicHotels, "Pera Palace"},
	} {
		if got := tt.trip.named(tt.text, tt.topic); got != tt.want {
			t.Errorf("named(%q, %s) = %q, want %q", tt.text, tt.topic, got, tt.want)
		}
	}
}
