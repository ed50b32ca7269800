package travel

import (
	"bytes"
	_ "embed" // for catalogue.json
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The trip that is planned when the traveller names no cities.
const (
	DefaultOrigin      = "Amsterdam"
	DefaultDestination = "San Francisco"
)

//go:embed catalogue.json
var catalogueJSON []byte

// A catalogue is the cities and the ways to find them.
type catalogue struct {
	cities []*City
	names  map[string]*City // folded names and aliases
	codes  map[string]*City // IATA codes, upper case
	words  int              // the longest name in names, in words

	sights  map[string]*City // folded names of countries, districts and experiences; nil where cities share one
	offers  map[string]Topic // folded names of hotels and airlines
	offered map[string]Topic // the words that tell those names apart
}

// A cityRecord is a city as catalogue.json writes it.
type cityRecord struct {
	Name             string       `json:"name"`
	Country          string       `json:"country"`
	Airport          string       `json:"airport"`
	OtherAirports    []string     `json:"other_airports"`
	Airline          string       `json:"airline"`
	Lat              float64      `json:"lat"`
	Lon              float64      `json:"lon"`
	Aliases          []string     `json:"aliases"`
	Hotels           []Hotel      `json:"hotels"`
	RecommendedHotel string       `json:"recommended_hotel"`
	Experiences      []Experience `json:"experiences"`
	About            []string     `json:"about"`
}

// builtin panics if the embedded file is damaged: the binary is then broken, and
// the package's tests are what keeps that from being shipped.
var builtin = sync.OnceValue(func() *catalogue {
	c, err := readCatalogue(catalogueJSON)
	if err != nil {
		panic(err)
	}
	return c
})

func readCatalogue(data []byte) (*catalogue, error) {
	var file struct {
		Cities []cityRecord `json:"cities"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("travel: catalogue: %w", err)
	}
	c := &catalogue{
		names:   map[string]*City{},
		codes:   map[string]*City{},
		sights:  map[string]*City{},
		offers:  map[string]Topic{},
		offered: map[string]Topic{},
	}
	for _, r := range file.Cities {
		if err := c.add(r); err != nil {
			return nil, fmt.Errorf("travel: catalogue: %s: %w", r.Name, err)
		}
	}
	// "Tokyo" in the name of a hotel is no hint of a hotel.
	for name := range c.names {
		for w := range strings.FieldsSeq(name) {
			delete(c.offered, w)
		}
	}
	slices.SortFunc(c.cities, func(a, b *City) int { return strings.Compare(a.Name, b.Name) })
	return c, nil
}

func (c *catalogue) add(r cityRecord) error {
	city := &City{
		Name: r.Name, Country: r.Country, Airport: r.Airport, About: strings.Join(r.About, "\n\n"),
		airline: r.Airline, lat: r.Lat, lon: r.Lon, hotels: r.Hotels, experiences: r.Experiences,
	}
	city.recommended = slices.IndexFunc(r.Hotels, func(h Hotel) bool { return h.Name == r.RecommendedHotel })
	if city.recommended < 0 {
		return fmt.Errorf("recommended hotel %q is not one of its hotels", r.RecommendedHotel)
	}
	for _, name := range append([]string{r.Name}, r.Aliases...) {
		key := fold(name)
		if known := c.names[key]; known != nil && known != city {
			return fmt.Errorf("%s is also called %q", known.Name, name)
		}
		c.names[key] = city
		c.words = max(c.words, strings.Count(key, " ")+1)
	}
	for _, code := range append([]string{r.Airport}, r.OtherAirports...) {
		if c.codes[code] != nil {
			return fmt.Errorf("%s has the airport %s too", c.codes[code].Name, code)
		}
		c.codes[code] = city
	}
	for _, e := range r.Experiences {
		c.addSight(e.Name, city)
		c.addSight(e.Location, city)
	}
	for _, h := range r.Hotels {
		c.addSight(h.Location, city)
		c.addOffer(h.Name, TopicHotels)
	}
	c.addSight(r.Country, city)
	c.addOffer(r.Airline, TopicFlights)
	c.cities = append(c.cities, city)
	return nil
}

func (c *catalogue) addSight(name string, city *City) {
	key := fold(name)
	if known, ok := c.sights[key]; ok && known != city {
		city = nil
	}
	c.sights[key] = city
}

func (c *catalogue) addOffer(name string, topic Topic) {
	key := fold(name)
	c.offers[key] = topic
	for w := range strings.FieldsSeq(key) {
		if len(w) > 2 && !ordinary[w] {
			c.offered[w] = topic
		}
	}
}

// Lookup finds a city by its name, one of its other names or its airport's code.
// Case, accents, punctuation and surplus spaces do not matter.
func Lookup(name string) (*City, bool) {
	c := builtin()
	key := fold(name)
	if city, ok := c.names[key]; ok {
		return city, true
	}
	city, ok := c.codes[strings.ToUpper(key)]
	return city, ok
}

// Cities returns the names of all cities, sorted.
func Cities() []string {
	c := builtin()
	names := make([]string, len(c.cities))
	for i, city := range c.cities {
		names[i] = city.Name
	}
	return names
}
