package travel_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/travel"
)

func city(t *testing.T, name string) *travel.City {
	t.Helper()
	c, ok := travel.Lookup(name)
	if !ok {
		t.Fatalf("Lookup(%q) finds nothing", name)
	}
	return c
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"San Francisco":     "San Francisco",
		"  san  francisco":  "San Francisco",
		"San-Francisco":     "San Francisco",
		"SF":                "San Francisco",
		"sfo":               "San Francisco",
		"NYC":               "New York",
		"new york city":     "New York",
		"Reykjavík":         "Reykjavik",
		"İstanbul":          "Istanbul",
		"Tōkyō":             "Tokyo",
		"To\u0304kyo\u0304": "Tokyo",
		"東京":                "Tokyo",
		"Rio":               "Rio de Janeiro",
		"ciudad de mexico":  "Mexico City",
		"LGA":               "New York",
		"Atlantis":          "",
		"":                  "",
		"San":               "",
	} {
		c, ok := travel.Lookup(name)
		if ok != (want != "") || c.String() != want {
			t.Errorf("Lookup(%q) = %q, %t, want %q", name, c, ok, want)
		}
	}
}

func TestCities(t *testing.T) {
	t.Parallel()
	names := travel.Cities()
	if len(names) < 14 || !slices.IsSorted(names) {
		t.Errorf("Cities() = %q, want at least 14, sorted", names)
	}
	for _, name := range append(names, travel.DefaultOrigin, travel.DefaultDestination) {
		if got := city(t, name).Name; got != name {
			t.Errorf("Lookup(%q) = %q", name, got)
		}
	}
}

// The data of the well-known trip is part of the contract.
func TestAmsterdamToSanFrancisco(t *testing.T) {
	t.Parallel()
	from, to := city(t, travel.DefaultOrigin), city(t, travel.DefaultDestination)
	flights, best := travel.Flights(from, to)
	wantFlights := []travel.Flight{
		{Airline: "KLM", Departure: "Amsterdam (AMS)", Arrival: "San Francisco (SFO)", Price: "$650", Duration: "11h 30m"},
		{Airline: "United", Departure: "Amsterdam (AMS)", Arrival: "San Francisco (SFO)", Price: "$720", Duration: "12h 15m"},
	}
	if diff := cmp.Diff(wantFlights, flights); diff != "" || best != 0 {
		t.Errorf("Flights recommends %d and differs (-want +got):\n%s", best, diff)
	}
	hotels, best := to.Hotels()
	wantHotels := []travel.Hotel{
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
	for _, name := range travel.Cities() {
		c := city(t, name)
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
		want := []string{travel.TypeRestaurant, travel.TypeRestaurant, travel.TypeActivity, travel.TypeActivity}
		if diff := cmp.Diff(want, types); diff != "" {
			t.Errorf("%s: experiences differ (-want +got):\n%s", name, diff)
		}
	}
}

func TestFlightsBetweenAllPairs(t *testing.T) {
	t.Parallel()
	price := regexp.MustCompile(`^\$([1-9]\d{1,2}|[1-9],\d{3})$`)
	duration := regexp.MustCompile(`^(\d|[12]\d)h [0-5]\dm$`)
	for _, a := range travel.Cities() {
		for _, b := range travel.Cities() {
			from, to := city(t, a), city(t, b)
			options, best := travel.Flights(from, to)
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
			if again, _ := travel.Flights(from, to); !cmp.Equal(options, again) {
				t.Errorf("Flights(%s, %s) = %v, then %v", a, b, options, again)
			}
		}
	}
	if options, best := travel.Flights(nil, city(t, "Paris")); options != nil || best != -1 {
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
