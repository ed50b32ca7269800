package english

import "github.com/agui-gateway/gateway/travel/internal/catalogue"

// A Kind is the kind of a message.
type Kind string

// The kinds of request.
const (
	// Plan asks for a trip or a part of one. A message of no other kind is a Plan.
	Plan Kind = "plan"
	// Greeting is a hello or a question about the team's abilities.
	Greeting Kind = "greeting"
	// About asks about a city; without Destination and UnknownCity about the one of the trip.
	About Kind = "about"
	// StartOver gives up the trip so far. It may name the next one.
	StartOver Kind = "start over"
	// Change asks to replace a choice, of the kind in Topic, or Everything if the message has none. It may name cities
	// ("a cheaper hotel in Paris"). If there is no choice yet, it counts as a Plan.
	Change Kind = "change"
)

// A Topic is the part of a trip that a request is about.
type Topic string

// The topics. A request that names none or several is about all of them.
const (
	Everything  Topic = "all"
	Flights     Topic = "flights"
	Hotels      Topic = "hotels"
	Experiences Topic = "experiences"
)

// A Request is the meaning of a traveller's message.
type Request struct {
	Kind Kind
	// Origin and Destination are nil if not named, and may be the same city.
	Origin, Destination *catalogue.City
	// UnknownCity is the traveller's spelling of a city that is not in the catalogue.
	UnknownCity string
	// Days is the length of the trip, 1 to 365, or 0 if the message has none. A week is 7, a weekend 2, three nights 4.
	Days int
	// Topic is never empty.
	Topic Topic
}

// Parse parses a message in plain English. A text without any known word is a Plan that names nothing.
func Parse(text string) Request {
	words := split(text)
	msg := newSentence(words)
	route := findRoute(words, msg)
	r := Request{
		Origin:      route.origin,
		Destination: route.destination,
		UnknownCity: route.unknown,
		Days:        findDays(words),
		Topic:       findTopic(msg),
	}
	r.Kind, r.Topic = kindOf(words, msg, route, r)
	if r.Destination == nil && r.UnknownCity == "" && (r.Kind == Plan || r.Kind == About) {
		r.Destination = route.sight
	}
	return r
}

// kindOf decides the kind of r, and in some cases its topic ("the Ritz" is a hotel).
func kindOf(words []word, msg sentence, route route, r Request) (Kind, Topic) {
	named := r.Origin != nil || r.Destination != nil || r.UnknownCity != ""
	planned := msg.has(planWords...) || r.Topic == Flights || r.Topic == Hotels
	if msg.meant(startOverPhrases...) {
		return StartOver, r.Topic
	}
	if !named && msg.has(abilityPhrases...) && (!planned || !msg.has(wishPhrases...)) {
		return Greeting, r.Topic
	}
	if topic, ok := changeOf(words, msg, named, r.Topic); ok {
		return Change, topic
	}
	if isAbout(words, msg, route, r, planned) {
		return About, r.Topic
	}
	if !named && !planned && r.Days == 0 && r.Topic == Everything && greets(words) {
		return Greeting, r.Topic
	}
	return Plan, r.Topic
}

func greets(words []word) bool {
	if len(words) == 0 {
		return false
	}
	s := newSentence(words[:min(2, len(words))])
	return s.has(greetingPhrases...) || words[0].key == "help" && len(words) <= 3
}

// changeOf reports whether the message asks to replace a choice, and of which kind. If the message names a city,
// "instead" and similar words belong to a plan ("Rome instead"), unless they replace a flight or a hotel.
func changeOf(words []word, msg sentence, named bool, topic Topic) (Topic, bool) {
	offer := offeredTopic(words)
	if !msg.meant(changeWords...) {
		return offer, offer != Everything && !named && msg.has(choosePhrases...)
	}
	if topic == Everything {
		topic = offer
	}
	if named && msg.has("trip", "plan", "travel") {
		return topic, false
	}
	return topic, !named || topic == Flights || topic == Hotels
}

// offeredTopic recognises the name of a hotel or an airline, or a word of it that is not common.
func offeredTopic(words []word) Topic {
	x := builtin()
	for i := range words {
		for n := min(6, len(words)-i); n > 0; n-- {
			if topic, ok := x.offers[joinKeys(words[i:i+n])]; ok {
				return topic
			}
		}
	}
	for _, w := range words {
		if topic, ok := x.offered[w.key]; ok {
			return topic
		}
	}
	return Everything
}

// isAbout reports whether the message asks about a city and not for a trip.
func isAbout(words []word, msg sentence, route route, r Request, planned bool) bool {
	if r.Topic == Flights || r.Topic == Hotels || msg.has(musingPhrases...) {
		return false
	}
	place := r.Destination != nil || r.UnknownCity != "" || route.sight != nil
	if !place {
		return r.Origin == nil && msg.has(herePhrases...) && msg.has(askingWords...)
	}
	if route.about && msg.has(askingWords...) {
		return true
	}
	if planned || r.Origin != nil || msg.has("get to", "go to") {
		return false
	}
	return msg.has(aboutPhrases...) || questionWords[words[0].key]
}

func findTopic(msg sentence) Topic {
	topic, found := Everything, 0
	for _, t := range []Topic{Flights, Hotels, Experiences} {
		if msg.has(topicWords[t]...) {
			topic = t
			found++
		}
	}
	if found != 1 {
		return Everything
	}
	return topic
}
