package catalogue

import "slices"

// A Flight connects two cities. Every field is text for people: "KLM", "Amsterdam (AMS)", "$650", "11h 30m".
type Flight struct {
	Airline   string `json:"airline"`
	Departure string `json:"departure"`
	Arrival   string `json:"arrival"`
	Price     string `json:"price"`
	Duration  string `json:"duration"`
}

// A Hotel is a place to stay, priced as "$280/night" and rated as "4.2 stars".
type Hotel struct {
	Name          string `json:"name"`
	Location      string `json:"location"`
	PricePerNight string `json:"price_per_night"`
	Rating        string `json:"rating"`
}

// The values of Experience.Type.
const (
	TypeRestaurant = "restaurant"
	TypeActivity   = "activity"
)

// An Experience is a restaurant or an activity, as given by Type.
type Experience struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Location    string `json:"location"`
}

// A City is a place of the catalogue. Two pointers are equal when the cities are.
type City struct {
	Name    string // as shown: "Rio de Janeiro"
	Country string
	Airport string // IATA code of the airport that flights use
	Airline string // the carrier that has its home here
	About   string // a description of some 200 words, paragraphs parted by a blank line

	aliases     []string // other names
	airports    []string // other IATA codes besides Airport
	lat, lon    float64
	hotels      []Hotel
	recommended int
	experiences []Experience
}

// Names returns Name and the other names that people use.
func (c *City) Names() []string { return append([]string{c.Name}, c.aliases...) }

// Codes returns the IATA codes of the city's airports, Airport first.
func (c *City) Codes() []string { return append([]string{c.Airport}, c.airports...) }

// Hotels returns the city's hotels and the index of the recommended one.
func (c *City) Hotels() (options []Hotel, recommended int) {
	return slices.Clone(c.hotels), c.recommended
}

// Experiences returns the city's restaurants and then its activities.
func (c *City) Experiences() []Experience {
	return slices.Clone(c.experiences)
}

// String returns the city's name.
func (c *City) String() string {
	if c == nil {
		return ""
	}
	return c.Name
}

// Terminal returns the city as flights name it: "Amsterdam (AMS)".
func (c *City) Terminal() string {
	return c.Name + " (" + c.Airport + ")"
}
