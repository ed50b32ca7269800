package travel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

type trip struct {
	origin, destination string          // as in the state, which callers may write
	from, to            *catalogue.City // nil if the catalogue does not have them
	// started reports whether planning has begun for this route: a flight on it is booked, or none is and its question
	// was asked. A flight to the former destination does not count if a caller has written another one.
	started     bool
	flight      catalogue.Flight // the zero value if none is chosen
	hotel       catalogue.Hotel
	experiences int // how many are in the state
	step        string
}

// readTrip reads the trip from the state. Members that are missing, empty or of another type count as not there.
func readTrip(s document.Reader) trip {
	t := trip{
		origin:      textOr(read[string](s, "/origin"), defaultOrigin),
		destination: textOr(read[string](s, "/destination"), defaultDestination),
		flight:      read[catalogue.Flight](s, "/itinerary/flight"),
		hotel:       read[catalogue.Hotel](s, "/itinerary/hotel"),
		experiences: len(read[[]catalogue.Experience](s, "/experiences")),
		step:        read[string](s, "/planning_step"),
	}
	t.from, _ = english.Lookup(t.origin)
	t.to, _ = english.Lookup(t.destination)
	if t.from != nil && t.to != nil {
		t.started = !t.has(english.Flights) && t.step == step(english.Flights) ||
			t.flight.Departure == t.from.Terminal() && t.flight.Arrival == t.to.Terminal()
	}
	return t
}

func read[T any](s document.Reader, pointer string) T {
	var v, zero T
	if ok, err := s.Get(pointer, &v); !ok || err != nil {
		return zero
	}
	return v
}

func textOr(text, otherwise string) string {
	if text = strings.TrimSpace(text); text != "" {
		return text
	}
	return otherwise
}

// lacks returns the first part that the trip does not have, and whether there is one.
func (t trip) lacks() (english.Topic, bool) {
	for _, topic := range []english.Topic{english.Flights, english.Hotels, english.Experiences} {
		if !t.has(topic) {
			return topic, true
		}
	}
	return "", false
}

func (t trip) has(topic english.Topic) bool {
	switch topic {
	case english.Flights:
		return t.flight.Airline != ""
	case english.Hotels:
		return t.hotel.Name != ""
	default:
		return t.experiences > 0
	}
}

func (t trip) complete() bool {
	_, lacking := t.lacks()
	return !lacking
}

// towards returns the cities of the trip that r asks for: those that r names, else those of t. If r names one end of t
// as the other end, the trip is reversed. If no such trip is possible, problem has the reason.
func (t trip) towards(r english.Request) (from, to *catalogue.City, problem string) {
	from, to = t.from, t.to
	if r.Origin != nil {
		from = r.Origin
	}
	if r.Destination != nil {
		to = r.Destination
	}
	switch {
	case from == nil:
		return nil, nil, english.UnknownCity(t.origin)
	case to == nil:
		return nil, nil, english.UnknownCity(t.destination)
	case from != to:
		return from, to, ""
	case r.Origin == nil && r.Destination != nil:
		return otherEnd(to, t.to), to, ""
	case r.Origin != nil && r.Destination == nil:
		return from, otherEnd(from, t.from), ""
	default: // the message names both, or the state has both
		return nil, nil, english.SameCity(to)
	}
}

// otherEnd returns preferred, or, if that is nil or city itself, an end of the default trip that is not city.
func otherEnd(city, preferred *catalogue.City) *catalogue.City {
	if preferred != nil && preferred != city {
		return preferred
	}
	for _, name := range []string{defaultDestination, defaultOrigin} {
		if other, ok := english.Lookup(name); ok && other != city {
			return other
		}
	}
	return nil // the catalogue has both
}

// planned returns the summary of a complete trip, else an empty string.
func (t trip) planned() string {
	if !t.started || !t.complete() {
		return ""
	}
	return t.summary()
}

func (t trip) summary() string {
	return english.Summary(t.from, t.to, t.flight, t.hotel, t.experiences)
}

// An assignment is a value and its place in the state.
type assignment struct {
	pointer string
	value   any
}

// write makes all assignments in one delta. Values that are there already are not sent.
func write(turn *groupchat.Turn, values ...assignment) error {
	s := turn.State()
	patch := make(agui.Patch, 0, len(values)+1)
	for _, p := range values {
		value, err := json.Marshal(p.value)
		if err != nil {
			return fmt.Errorf("travel: %s: %w", p.pointer, err)
		}
		if parent, _, nested := strings.Cut(p.pointer[1:], "/"); nested && !isObject(s, "/"+parent) {
			patch = append(patch, agui.PatchOp{Op: "add", Path: "/" + parent, Value: json.RawMessage("{}")})
		}
		op := "add"
		if _, there := s.Raw(p.pointer); there {
			op = "replace"
		}
		patch = append(patch, agui.PatchOp{Op: op, Path: p.pointer, Value: value})
	}
	return s.Apply(turn.Context(), patch)
}

func isObject(s document.Reader, pointer string) bool {
	raw, ok := s.Raw(pointer)
	return ok && bytes.HasPrefix(raw, []byte("{"))
}
