package catalogue_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
)

func city(t *testing.T, name string) *catalogue.City {
	t.Helper()
	for _, c := range catalogue.Cities() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

func TestCities(t *testing.T) {
	t.Parallel()
	cities := catalogue.Cities()
	byName := func(a, b *catalogue.City) int { return strings.Compare(a.Name, b.Name) }
	if len(cities) < 14 || !slices.IsSortedFunc(cities, byName) {
		t.Errorf("Cities() = %q, want at least 14, sorted", cities)
	}
}

// The data of the well-known trip is part of the contract.
func TestAmsterdamToSanFrancisco(t *testing.T) {
	t.Parallel()
	from, to := city(t, "Amsterdam"), city(t, "San Francisco")
	flights, best := catalogue.Flights(from, to)
	wantFlights := []catalogue.Flight{
		{Airline: "KLM", Departure: "Amsterdam (AMS)", Arrival: "San Francisco (SFO)", Price: "$650", Duration: "11h 30m"},
		{Airline: "United", Departure: "Amsterdam (AMS)", Arrival: "San Francisco (SFO)", Price: "$720", Duration: "12h 15m"},
	}
	if diff := cmp.Diff(wantFlights, flights); diff != "" || best != 0 {
		t.Errorf("Flights recommends %d and differs (-want +got):\n%s", best, diff)
	}
	hotels, best := to.Hotels()
	wantHotels := []catalogue.Hotel{
		{Name: "Hotel Zephyr", Location: "Fisherman's Wharf", PricePerNight: "$280/night", Rating: "4.2 stars"},
		{Name: "The Ritz-Carlton", Location: "Nob Hill", PricePerNight: "$550/night", Rating: "4.8 stars"},
		{Name: "Hotel Zoe", Location: "Union Square", PricePerNight: "$320/night", Rating: "4.4 stars"},
	}
	if diff := cmp.Diff(wantHotels, hotels); diff != "" || best != 2 {
		t.Errorf("Hotels recommends %d and differs (-want +got):\n%s", best, diff)
	}
	var got [][3]string
	for _, e := range to.Experiences() {
		got = append(got, [3]string{e.Type, e.Name, e.Location})
	}
	want := [][3]string{
		{"restaurant", "Swan Oyster Depot", "Polk Street"},
		{"restaurant", "Tartine Bakery", "Mission District"},
		{"activity", "Pier 39", "Fisherman's Wharf"},
		{"activity", "Golden Gate Bridge", "Golden Gate"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Experiences differ (-want +got):\n%s", diff)
	}
}

func TestEveryCityIsComplete(t *testing.T) {
	t.Parallel()
	night := regexp.MustCompile(`^\$([1-9]\d{0,2}|[1-9],\d{3})/night$`)
	rating := regexp.MustCompile(`^[1-5]\.\d stars$`)
	for _, c := range catalogue.Cities() {
		name := c.Name
		if n := len(strings.Fields(c.About)); n < 130 {
			t.Errorf("%s: the description has %d words, want at least 130", name, n)
		}
		if !strings.Contains(c.About, name) || !regexp.MustCompile(`^[A-Z]{3}$`).MatchString(c.Airport) || c.Country == "" {
			t.Errorf("%s: description, airport %q or country %q is wrong", name, c.Airport, c.Country)
		}
		hotels, best := c.Hotels()
		if len(hotels) < 3 || best < 0 || best >= len(hotels) {
			t.Errorf("%s: %d hotels, number %d recommended", name, len(hotels), best)
		}
		seen := map[string]bool{}
		for _, h := range hotels {
			if h.Name == "" || seen[h.Name] || h.Location == "" || !night.MatchString(h.PricePerNight) || !rating.MatchString(h.Rating) {
				t.Errorf("%s: bad hotel %+v", name, h)
			}
			seen[h.Name] = true
		}
		var types []string
		for _, e := range c.Experiences() {
			if e.Name == "" || e.Description == "" || e.Location == "" {
				t.Errorf("%s: bad experience %+v", name, e)
			}
			types = append(types, e.Type)
		}
		want := []string{catalogue.TypeRestaurant, catalogue.TypeRestaurant, catalogue.TypeActivity, catalogue.TypeActivity}
		if diff := cmp.Diff(want, types); diff != "" {
			t.Errorf("%s: experiences differ (-want +got):\n%s", name, diff)
		}
	}
}

func TestFlightsBetweenAllPairs(t *testing.T) {
	t.Parallel()
	price := regexp.MustCompile(`^\$([1-9]\d{1,2}|[1-9],\d{3})$`)
	duration := regexp.MustCompile(`^(\d|[12]\d)h [0-5]\dm$`)
	for _, from := range catalogue.Cities() {
		for _, to := range catalogue.Cities() {
			a, b := from.Name, to.Name
			options, best := catalogue.Flights(from, to)
			if a == b {
				if options != nil || best != -1 {
					t.Errorf("Flights(%s, %s) = %v, %d, want none", a, b, options, best)
				}
				continue
			}
			if len(options) < 2 || best < 0 || best >= len(options) || options[0].Airline == options[1].Airline {
				t.Errorf("Flights(%s, %s) = %v, %d", a, b, options, best)
			}
			for _, f := range options {
				if f.Airline == "" || f.Departure != a+" ("+from.Airport+")" || f.Arrival != b+" ("+to.Airport+")" ||
					!price.MatchString(f.Price) || !duration.MatchString(f.Duration) {
					t.Errorf("Flights(%s, %s) has %+v", a, b, f)
				}
			}
			if again, _ := catalogue.Flights(from, to); !cmp.Equal(options, again) {
				t.Errorf("Flights(%s, %s) = %v, then %v", a, b, options, again)
			}
		}
	}
	if options, best := catalogue.Flights(nil, city(t, "Paris")); options != nil || best != -1 {
		t.Errorf("Flights(nil, Paris) = %v, %d, want none", options, best)
	}
}

func TestCataloguesSlicesAreCopies(t *testing.T) {
	t.Parallel()
	c := city(t, "Paris")
	hotels, _ := c.Hotels()
	experiences := c.Experiences()
	name, sight := hotels[0].Name, experiences[0].Name
	hotels[0].Name, experiences[0].Name = "", ""
	hotels, _ = c.Hotels()
	if hotels[0].Name != name || c.Experiences()[0].Name != sight {
		t.Error("a caller can change the catalogue")
	}
}

// Data that is compared with a traveller's limits has to be a number, for all options.
func TestPricesAndRatingsAreNumbers(t *testing.T) {
	t.Parallel()
	for _, from := range catalogue.Cities() {
		hotels, _ := from.Hotels()
		for _, h := range hotels {
			if h.Dollars() < 10 || h.Dollars() > 5000 || h.Stars() < 1 || h.Stars() > 5 {
				t.Errorf("%s in %s costs %d dollars and has %v stars", h.Name, from, h.Dollars(), h.Stars())
			}
		}
		for _, to := range catalogue.Cities() {
			flights, _ := catalogue.Flights(from, to)
			for _, f := range flights {
				if f.Dollars() < 50 || f.Dollars() > 10000 {
					t.Errorf("%s from %s to %s costs %d dollars", f.Airline, from, to, f.Dollars())
				}
			}
		}
	}
	flights, _ := catalogue.Flights(city(t, "Amsterdam"), city(t, "San Francisco"))
	hotels, _ := city(t, "San Francisco").Hotels()
	if flights[0].Dollars() != 650 || hotels[0].Dollars() != 280 || hotels[0].Stars() != 4.2 {
		t.Errorf("%+v costs %d; %+v %d, with %v stars", flights[0], flights[0].Dollars(), hotels[0], hotels[0].Dollars(), hotels[0].Stars())
	}
}
