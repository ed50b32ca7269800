package english

import (
	"fmt"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
)

// An index finds cities, sights and offers of the catalogue by their folded names.
type index struct {
	names map[string]*catalogue.City // names and other names of cities
	codes map[string]*catalogue.City // IATA codes, upper case
	words int                        // the longest name in names, in words

	sights  map[string]*catalogue.City // countries, districts and experiences; nil where cities share one
	offers  map[string]Topic           // hotels and airlines
	offered map[string]Topic           // the words that distinguish those names
}

// builtin panics if two cities of the embedded catalogue have the same name.
var builtin = sync.OnceValue(func() *index {
	x := &index{
		names:   map[string]*catalogue.City{},
		codes:   map[string]*catalogue.City{},
		sights:  map[string]*catalogue.City{},
		offers:  map[string]Topic{},
		offered: map[string]Topic{},
	}
	for _, city := range catalogue.Cities() {
		if err := x.add(city); err != nil {
			panic(err)
		}
	}
	// A city's name in the name of a hotel, such as "Tokyo", does not identify the hotel.
	for name := range x.names {
		for w := range strings.FieldsSeq(name) {
			delete(x.offered, w)
		}
	}
	return x
})

func (x *index) add(city *catalogue.City) error {
	for _, name := range city.Names() {
		key := fold(name)
		if known := x.names[key]; known != nil && known != city {
			return fmt.Errorf("english: %s and %s are both called %q", known, city, name)
		}
		x.names[key] = city
		x.words = max(x.words, strings.Count(key, " ")+1)
	}
	for _, code := range city.Codes() {
		if x.codes[code] != nil {
			return fmt.Errorf("english: %s and %s both have the airport %s", x.codes[code], city, code)
		}
		x.codes[code] = city
	}
	for _, e := range city.Experiences() {
		x.addSight(e.Name, city)
		x.addSight(e.Location, city)
	}
	hotels, _ := city.Hotels()
	for _, h := range hotels {
		x.addSight(h.Location, city)
		x.addOffer(h.Name, Hotels)
	}
	x.addSight(city.Country, city)
	x.addOffer(city.Airline, Flights)
	return nil
}

func (x *index) addSight(name string, city *catalogue.City) {
	key := fold(name)
	if known, ok := x.sights[key]; ok && known != city {
		city = nil
	}
	x.sights[key] = city
}

func (x *index) addOffer(name string, topic Topic) {
	key := fold(name)
	x.offers[key] = topic
	for w := range strings.FieldsSeq(key) {
		if len(w) > 2 && !ordinary[w] {
			x.offered[w] = topic
		}
	}
}

// Lookup finds a city by its name, one of its other names or the code of one of its airports. It ignores case, accents
// and punctuation.
func Lookup(name string) (*catalogue.City, bool) {
	x := builtin()
	key := fold(name)
	if city, ok := x.names[key]; ok {
		return city, true
	}
	city, ok := x.codes[strings.ToUpper(key)]
	return city, ok
}
