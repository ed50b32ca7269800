package english_test

import (
	"testing"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

func TestPick(t *testing.T) {
	t.Parallel()
	type trip struct{ from, to string }
	west, east := trip{"Amsterdam", "San Francisco"}, trip{"London", "Istanbul"}
	for _, tt := range []struct {
		trip  trip
		text  string
		topic english.Topic
		want  string
	}{
		{west, "Take the Ritz instead", english.Hotels, "The Ritz-Carlton"},
		{west, "the ritz-carlton please", english.Hotels, "The Ritz-Carlton"},
		{west, "ZEPHYR!", english.Hotels, "Hotel Zephyr"},
		{west, "I want the other hotel", english.Hotels, ""},
		{west, "Zoe or Zephyr", english.Hotels, ""},
		{west, "Zephyr instead of Zoe", english.Hotels, "Hotel Zephyr"},
		{west, "not Zoe, the Ritz", english.Hotels, "The Ritz-Carlton"},
		{west, "not the Ritz", english.Hotels, ""},
		{west, "I don't want the Ritz", english.Hotels, ""},
		{west, "anything but the Ritz", english.Hotels, ""},
		{west, "rather Zephyr than the Hotel Zoe", english.Hotels, "Hotel Zephyr"},
		{west, "Switch from KLM to United", english.Flights, "United"},
		{west, "a flight with klm", english.Flights, "KLM"},
		{west, "a different flight", english.Flights, ""},
		{west, "Lufthansa", english.Flights, ""},
		{east, "Turkish instead", english.Flights, "Turkish Airlines"},
		{east, "another hotel in Istanbul", english.Hotels, ""},
		{east, "The Bank Hotel Istanbul", english.Hotels, "The Bank Hotel Istanbul"},
		{east, "the Pera Palace", english.Hotels, "Pera Palace"},
	} {
		from, _ := english.Lookup(tt.trip.from)
		to, _ := english.Lookup(tt.trip.to)
		var options []string
		if tt.topic == english.Flights {
			flights, _ := catalogue.Flights(from, to)
			for _, f := range flights {
				options = append(options, f.Airline)
			}
		} else {
			hotels, _ := to.Hotels()
			for _, h := range hotels {
				options = append(options, h.Name)
			}
		}
		if got := english.Pick(tt.text, options, to); got != tt.want {
			t.Errorf("Pick(%q, %q) = %q, want %q", tt.text, options, got, tt.want)
		}
	}
}
