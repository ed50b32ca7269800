package english

import (
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
)

// The sentences of the team. The words "I'll book" are in the two confirmations only, because tests count bookings by
// them. The options are on the question's card; the text before it has their number. days is 0 if unknown.

const (
	// NothingBooked answers a cancelled question.
	NothingBooked = "All right, no booking made. Write to me whenever you want to go on, and we will come back to it."
	// Closing ends a run that has taken too many turns.
	Closing = "That is as far as I get in one go. Write to me to continue."
)

// Intro announces a trip; again means that it replaces another one.
func Intro(from, to *catalogue.City, days int, again bool) string {
	greeting := ""
	if again {
		greeting = "We start with a clean sheet. "
	}
	return fmt.Sprintf("%sI will coordinate our specialists to plan your trip from %s to %s%s. The flights "+
		"specialist goes first.",
		greeting, from, to, forDays(days))
}

// Proceed announces the next part of a trip, the one on topic.
func Proceed(from, to *catalogue.City, topic Topic) string {
	return fmt.Sprintf("Let us go on with your trip from %s to %s. The %s specialist is next.", from, to, topic)
}

// ChooseAgain answers a traveller who wants another flight or hotel without naming it.
func ChooseAgain(topic Topic) string {
	return fmt.Sprintf("No problem. I will send you back to the %s specialist to choose again.", topic)
}

// FlightsFound announces the number of flights on offer.
func FlightsFound(from, to *catalogue.City, options int, best catalogue.Flight) string {
	return fmt.Sprintf("I found %d flight options from %s to %s. I recommend %s.", options, from, to, best.Airline)
}

// WhichFlight asks the traveller to choose one.
func WhichFlight(from, to *catalogue.City, best catalogue.Flight) string {
	return fmt.Sprintf("Which flight from %s to %s would you like to take? I recommend %s.", from, to, best.Airline)
}

// FlightBooked confirms the chosen flight.
func FlightBooked(from, to *catalogue.City, f catalogue.Flight) string {
	return fmt.Sprintf("Great. I'll book you the %s flight from %s to %s.", f.Airline, from, to)
}

// HotelsFound announces the number of hotels on offer.
func HotelsFound(city *catalogue.City, options int, best catalogue.Hotel, days int) string {
	return fmt.Sprintf("I found %d accommodation options in %s%s. I recommend %s.", options, city, forDays(days),
		best.Name)
}

// WhichHotel asks the traveller to choose one.
func WhichHotel(city *catalogue.City, best catalogue.Hotel) string {
	return fmt.Sprintf("Which hotel in %s would you like to stay at? I recommend %s.", city, best.Name)
}

// FlightLimit states whether the recommended flight is within the traveller's price limit.
func FlightLimit(best catalogue.Flight, dollars int, met bool) string {
	if met {
		return fmt.Sprintf("It costs %s, within your limit.", best.Price)
	}
	return fmt.Sprintf("There is none for $%d or less; the least expensive one costs %s.", dollars, best.Price)
}

// HotelLimit states whether the recommended hotel is within the traveller's limits of price and rating.
func HotelLimit(best catalogue.Hotel, met bool) string {
	if met {
		return fmt.Sprintf("It costs %s and has %s, as you want it.", best.PricePerNight, best.Rating)
	}
	return fmt.Sprintf("None is quite what you want; this one, at %s and with %s, comes nearest.", best.PricePerNight,
		best.Rating)
}

// NotCatered names the wishes that the team cannot take care of.
func NotCatered(wishes []string) string {
	quoted := make([]string, len(wishes))
	for i, wish := range wishes {
		quoted[i] = "\"" + wish + "\""
	}
	return fmt.Sprintf("I am sorry, our catalogue says nothing about %s, so I cannot take care of that.",
		list(quoted, "or"))
}

// HotelBooked confirms the chosen hotel.
func HotelBooked(city *catalogue.City, h catalogue.Hotel, days int) string {
	return fmt.Sprintf("Excellent. I'll book you a stay at %s, %s, in %s%s.", h.Name, h.Location, city, forDays(days))
}

// NotOffered answers a choice that is none of the options.
func NotOffered(options []string) string {
	return fmt.Sprintf("I cannot offer you that; please pick one of the options: %s.", list(options, "or"))
}

// Kept answers a choice that is booked already.
func Kept(thing string) string {
	return fmt.Sprintf("That is what you have already: %s. Nothing changes.", thing)
}

// NothingChanged answers a cancelled question that asked to replace thing.
func NothingChanged(thing string) string {
	return fmt.Sprintf("All right, no booking made. You keep %s.", thing)
}

// ExperiencesPicked lists what to do in a city.
func ExperiencesPicked(city *catalogue.City, picked []catalogue.Experience, days int) string {
	var eat, see []string
	for _, e := range picked {
		place := fmt.Sprintf("%s (%s)", e.Name, e.Location)
		if e.Type == catalogue.TypeRestaurant {
			eat = append(eat, place)
		} else {
			see = append(see, place)
		}
	}
	return fmt.Sprintf("I picked %d experiences for you in %s%s. To eat: %s. To see and do: %s.",
		len(picked), city, forDays(days), list(eat, "and"), list(see, "and"))
}

// Summary describes the choices of a complete trip, as a part of other sentences.
func Summary(from, to *catalogue.City, f catalogue.Flight, h catalogue.Hotel, experiences int) string {
	return fmt.Sprintf("the %s flight from %s to %s, %s, and %d experiences", f.Airline, from, to, h.Name, experiences)
}

// Ready announces a complete trip.
func Ready(summary string, days int) string {
	return fmt.Sprintf("The planning is complete and your itinerary is ready: %s%s. Enjoy your trip!", summary,
		forDays(days))
}

// AlreadyPlanned answers a request for a trip that is complete.
func AlreadyPlanned(summary string, days int) string {
	return fmt.Sprintf("Your trip is already planned: %s%s. To plan another one, say \"start over\"; to change a "+
		"part, say \"another flight\" or \"another hotel\".",
		summary, forDays(days))
}

// WhatToChange answers a traveller who wants an unspecified change.
func WhatToChange(from, to *catalogue.City) string {
	return fmt.Sprintf("What would you like to be different about your trip from %s to %s? Say \"another flight\", "+
		"\"another hotel\", the city you would rather see, or \"start over\".",
		from, to)
}

// AllExperiences answers a traveller who wants other experiences.
func AllExperiences(city *catalogue.City) string {
	return fmt.Sprintf("Those are all the experiences our specialist knows in %s. Say \"another flight\" or "+
		"\"another hotel\" to change those, or \"start over\" for a new trip.",
		city)
}

// Welcome introduces the team. summary is that of a complete trip, or empty.
func Welcome(summary string) string {
	text := "Hello! I am the supervisor of a small team of travel specialists. Tell me where you want to go, and we " +
		"look for flights, a hotel and things to do; you choose, we keep the itinerary. I can also tell you about a " +
		"city. We know " +
		list(cityNames(), "and") + "."
	if summary != "" {
		text += " Your present trip is planned: " + summary + ". Say \"start over\" for another."
	}
	return text
}

// UnknownCity answers a traveller who names a place that is not in the catalogue.
func UnknownCity(name string) string {
	return fmt.Sprintf("I am sorry, I do not know %s yet. I can plan trips between %s. Which of them would you like "+
		"to see?",
		shorten(name), list(cityNames(), "and"))
}

// SameCity answers a request for a trip with equal ends.
func SameCity(city *catalogue.City) string {
	return fmt.Sprintf("That trip would end where it begins, in %s. Where would you like to go from there? I know %s.",
		city, list(cityNames(), "and"))
}

func cityNames() []string {
	var names []string
	for _, city := range catalogue.Cities() {
		names = append(names, city.Name)
	}
	return names
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

// shorten limits the length of a name that a caller has written into the state.
func shorten(name string) string {
	const most = 60
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return string(runes[:most]) + "…"
}
