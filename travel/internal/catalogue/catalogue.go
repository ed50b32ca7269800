package catalogue

import (
	"bytes"
	_ "embed" // for catalogue.json
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed catalogue.json
var file []byte

type record struct {
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

// builtin panics if the embedded file is not valid, which the tests of this package rule out.
var builtin = sync.OnceValue(func() []*City {
	cities, err := read(file)
	if err != nil {
		panic(err)
	}
	return cities
})

func read(data []byte) ([]*City, error) {
	var file struct {
		Cities []record `json:"cities"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	cities := make([]*City, len(file.Cities))
	for i, r := range file.Cities {
		city := &City{
			Name: r.Name, Country: r.Country, Airport: r.Airport, Airline: r.Airline,
			About:   strings.Join(r.About, "\n\n"),
			aliases: r.Aliases, airports: r.OtherAirports, lat: r.Lat, lon: r.Lon, hotels: r.Hotels,
			experiences: r.Experiences,
		}
		city.recommended = slices.IndexFunc(r.Hotels, func(h Hotel) bool { return h.Name == r.RecommendedHotel })
		if city.recommended < 0 {
			return nil, fmt.Errorf("catalogue: %s: recommended hotel %q is not one of its hotels", r.Name,
				r.RecommendedHotel)
		}
		cities[i] = city
	}
	slices.SortFunc(cities, func(a, b *City) int { return strings.Compare(a.Name, b.Name) })
	return cities, nil
}

// Cities returns all cities, sorted by name.
func Cities() []*City { return slices.Clone(builtin()) }
