package travel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/travel/internal/catalogue"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// A trip is what the shared state says about the one that is planned.
type trip struct {
	origin, destination string          // as they stand in the state, which a caller may write
	from, to            *catalogue.City // nil if the catalogue does not have them
	// started says that the plan has a flight on this very route, or none yet and its question was asked. A caller who
	// writes another destination makes what was chosen for the former one worthless.
	started     bool
	flight      catalogue.Flight // chosen; zero if none is
	hotel       catalogue.Hotel
	experiences int // how many are in the state
	step        string
}

// readTrip reads what is there. What is missing, empty or of another type is as good as nothing: only the
// content counts.
func readTrip(s state.Reader) trip {
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

func read[T any](s state.Reader, pointer string) T {
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

// lacks returns the first thing the trip needs and does not have, and whether there is one.
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

// complete reports whether nothing is lacking.
func (t trip) complete() bool {
	_, lacking := t.lacks()
	return !lacking
}

// towards returns the cities between which r wants the trip to be: those it names, else those it is between.
// A city that is one end already and is named as the other turns the trip around. If no trip can be made of
// it, problem says why.
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
	default: // the message says both, or the state does
		return nil, nil, english.SameCity(to)
	}
}

// otherEnd returns preferred unless that is city itself, or nowhere; then the end of the default trip that is not.
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

// planned is the summary of a plan that is complete, else empty.
func (t trip) planned() string {
	if !t.started || !t.complete() {
		return ""
	}
	return t.summary()
}

// summary is what was chosen, for a trip that is complete.
func (t trip) summary() string {
	return english.Summary(t.from, t.to, t.flight, t.hotel, t.experiences)
}

// A put is a value and where it belongs in the state.
type put struct {
	pointer string
	value   any
}

// write makes all puts with one delta. What stands there already is not sent.
func write(s *state.Scope, puts ...put) error {
	patch := make(agui.Patch, 0, len(puts)+1)
	for _, p := range puts {
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
	return s.Apply(patch)
}

func isObject(s state.Reader, pointer string) bool {
	raw, ok := s.Raw(pointer)
	return ok && bytes.HasPrefix(raw, []byte("{"))
}
