package travel

import (
	"fmt"
	"strings"
)

// What the team says. "I'll book" stands in the two confirmations and nowhere else: readers count bookings
// by it. What the options are is on the question's card; the text before it counts them.

const (
	nothingBookedText = "All right, no booking made. Write to me whenever you want to go on, and we will come back to it."
	closingText       = "That is as far as I get in one go. Write to me to continue."
)

func introText(from, to *City, days int, again bool) string {
	greeting := ""
	if again {
		greeting = "We start with a clean sheet. "
	}
	return fmt.Sprintf("%sI will coordinate our specialists to plan your trip from %s to %s%s. The flights specialist goes first.",
		greeting, from, to, forDays(days))
}

func proceedText(t trip, topic Topic) string {
	return fmt.Sprintf("Let us go on with your trip from %s to %s. The %s specialist is next.", t.from, t.to, topic)
}

func chooseAgainText(topic Topic) string {
	return fmt.Sprintf("No problem. I will send you back to the %s specialist to choose again.", topic)
}

func flightsFoundText(t trip, options int, best Flight, _ int) string {
	return fmt.Sprintf("I found %d flight options from %s to %s. I recommend %s.", options, t.from, t.to, best.Airline)
}

func whichFlightText(t trip, best Flight) string {
	return fmt.Sprintf("Which flight from %s to %s would you like to take? I recommend %s.", t.from, t.to, best.Airline)
}

func flightBookedText(t trip, f Flight, _ int) string {
	return fmt.Sprintf("Great. I'll book you the %s flight from %s to %s.", f.Airline, t.from, t.to)
}

func hotelsFoundText(t trip, options int, best Hotel, days int) string {
	return fmt.Sprintf("I found %d accommodation options in %s%s. I recommend %s.", options, t.to, forDays(days), best.Name)
}

func whichHotelText(t trip, best Hotel) string {
	return fmt.Sprintf("Which hotel in %s would you like to stay at? I recommend %s.", t.to, best.Name)
}

func hotelBookedText(t trip, h Hotel, days int) string {
	return fmt.Sprintf("Excellent. I'll book you a stay at %s, %s, in %s%s.", h.Name, h.Location, t.to, forDays(days))
}

func notOfferedText(names []string) string {
	return fmt.Sprintf("I cannot offer you that; please pick one of the options: %s.", list(names, "or"))
}

func keptText(thing string) string {
	return fmt.Sprintf("That is what you have already: %s. Nothing changes.", thing)
}

func nothingChangedText(thing string) string {
	return fmt.Sprintf("All right, no booking made. You keep %s.", thing)
}

func experiencesText(city *City, picked []Experience, days int) string {
	var eat, see []string
	for _, e := range picked {
		place := fmt.Sprintf("%s (%s)", e.Name, e.Location)
		if e.Type == TypeRestaurant {
			eat = append(eat, place)
		} else {
			see = append(see, place)
		}
	}
	return fmt.Sprintf("I picked %d experiences for you in %s%s. To eat: %s. To see and do: %s.",
		len(picked), city, forDays(days), list(eat, "and"), list(see, "and"))
}

func readyText(t trip, days int) string {
	return fmt.Sprintf("The planning is complete and your itinerary is ready: %s%s. Enjoy your trip!", t.summary(), forDays(days))
}

func alreadyPlannedText(t trip) string {
	return fmt.Sprintf("Your trip is already planned: %s. To plan another one, say \"start over\"; to change a part, say \"another flight\" or \"another hotel\".",
		t.summary())
}

func whatToChangeText(t trip) string {
	return fmt.Sprintf("What would you like to be different about your trip from %s to %s? Say \"another flight\", \"another hotel\", the city you would rather see, or \"start over\".",
		t.from, t.to)
}

func allExperiencesText(t trip) string {
	return fmt.Sprintf("Those are all the experiences our specialist knows in %s. Say \"another flight\" or \"another hotel\" to change those, or \"start over\" for a new trip.",
		t.to)
}

func greetingText(t trip) string {
	text := "Hello! I am the supervisor of a small team of travel specialists. Tell me where you want to go, and we look for flights, a hotel and things to do; you choose, we keep the itinerary. I can also tell you about a city. We know " +
		list(Cities(), "and") + "."
	if t.begun && t.complete() {
		text += " Your present trip is planned: " + t.summary() + ". Say \"start over\" for another."
	}
	return text
}

func unknownCityText(name string) string {
	return fmt.Sprintf("I am sorry, I do not know %s yet. I can plan trips between %s. Which of them would you like to see?",
		shorten(name), list(Cities(), "and"))
}

func sameCityText(city *City) string {
	return fmt.Sprintf("That trip would end where it begins, in %s. Where would you like to go from there? I know %s.",
		city, list(Cities(), "and"))
}

// summary is what was chosen, for a trip that is complete.
func (t trip) summary() string {
	return fmt.Sprintf("the %s flight from %s to %s, %s, and %d experiences", t.flight.Airline, t.from, t.to, t.hotel.Name, t.experiences)
}

func forDays(days int) string {
	switch days {
	case 0:
		return ""
	case 1:
		return " for 1 day"
	default:
		return fmt.Sprintf(" for %d days", days)
	}
}

// list puts items into a sentence, with word before the last.
func list(items []string, word string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " " + word + " " + items[last]
}

// shorten keeps what a caller wrote into the state from filling the page.
func shorten(name string) string {
	const most = 60
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return string(runes[:most]) + "…"
}
