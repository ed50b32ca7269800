package catalogue

import (
	"fmt"
	"math"
)

// Fares are calibrated on the pair with fixed data, from Amsterdam to San Francisco: KLM $650, United $720.
const (
	earthRadiusKM  = 6371
	cruiseKMH      = 810
	groundMinutes  = 40    // taxiing, climb and approach
	nonstopKM      = 14000 // beyond it the journey changes planes once
	changeMinutes  = 150
	baseFare       = 60 // dollars
	farePerKM      = 0.0672
	secondFare     = 111  // per cent of the first carrier's fare
	secondDuration = 1065 // per mille of the first carrier's duration
)

// Flights returns the flights from one city to another, one by a carrier of each city, and the index of the recommended
// one. The result for a pair is constant. There are none, and the index is -1, if the cities are equal or one is nil.
func Flights(from, to *City) (options []Flight, recommended int) {
	if from == nil || to == nil || from == to {
		return nil, -1
	}
	km := distance(from, to)
	minutes := groundMinutes + 60*km/cruiseKMH
	if km > nonstopKM {
		minutes += changeMinutes
	}
	time, fare := roundTo5(minutes), roundTo5(baseFare+farePerKM*km)
	slower, dearer := roundTo5(float64(time)*secondDuration/1000), roundTo5(float64(fare)*secondFare/100)
	return []Flight{
		newFlight(from.Airline, from, to, fare, time),
		newFlight(to.Airline, from, to, max(dearer, fare+5), max(slower, time+5)),
	}, 0
}

func newFlight(airline string, from, to *City, dollars, minutes int) Flight {
	return Flight{
		Airline:   airline,
		Departure: from.Terminal(),
		Arrival:   to.Terminal(),
		Price:     dollarText(dollars),
		Duration:  fmt.Sprintf("%dh %02dm", minutes/60, minutes%60),
	}
}

// dollarText writes a price below a million dollars: "$650", "$1,205".
func dollarText(dollars int) string {
	if dollars < 1000 {
		return fmt.Sprintf("$%d", dollars)
	}
	return fmt.Sprintf("$%d,%03d", dollars/1000, dollars%1000)
}

func distance(a, b *City) float64 {
	const radians = math.Pi / 180
	sinLat := math.Sin((b.lat - a.lat) * radians / 2)
	sinLon := math.Sin((b.lon - a.lon) * radians / 2)
	h := sinLat*sinLat + math.Cos(a.lat*radians)*math.Cos(b.lat*radians)*sinLon*sinLon
	return 2 * earthRadiusKM * math.Asin(math.Sqrt(min(h, 1)))
}

func roundTo5(v float64) int {
	return 5 * int(math.Round(v/5))
}
